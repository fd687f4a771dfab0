import type { LoadedStudy } from '../load/load.ts';
import type { StudyDescription } from './description.ts';
import type { KitEnvironment } from './environments.ts';
import type { Variables } from './variables.ts';

/** What the README of a kit is written from. */
export type ReadmeContext = {
  loaded: LoadedStudy;
  described: StudyDescription;
  environments: readonly KitEnvironment[];
  variables: Variables;
  uv: string;
  /** Paths of the study whose files are in the kit. */
  carried: ReadonlySet<string>;
};
