import type { OptionValue } from '../../study/settings.ts';

/** Why something of a launch is not in the stage as it stood. */
export type LeftOverCode =
  /** The pinned version of the trainer has no such option. */
  | 'gone'
  /** A former name of an option, or a key that the pinned version ignores: carried over under today's name. */
  | 'renamed'
  /** This program sets it itself: folders, resuming, seeds derived from the root seed. */
  | 'her-sets'
  /** Its value is known to the running script only. */
  | 'unknown-value'
  /** The pinned version does not take the value. */
  | 'wrong-value'
  /** The launch leaves open what a study must say: the importer chose, and a person should look. */
  | 'chosen'
  /** A secret, which a study never holds. */
  | 'secret'
  /** Nothing of a study can say it. */
  | 'not-carried';

/** `line` 0: nothing in the script stands for it. `launch`: which of those that were imported, counted from 0. */
export type LeftOver = {
  line: number;
  option: string;
  code: LeftOverCode;
  message: string;
  hint?: string;
  launch?: number;
  /** The config file in which it stands, when the launch names one. */
  file?: string;
  /** It is told, and in the study all the same. */
  kept?: true;
};

/** A stage under construction, with what it needs beside it. */
export type StageDraft = {
  /** Keys of the stage in the study's order. */
  stage: Record<string, OptionValue>;
  models: Record<string, Record<string, OptionValue>>;
  data: Record<string, Record<string, OptionValue>>;
  nodes: number;
  gpusPerNode: number;
  seed: number | null;
  trainer: 'ms-swift' | 'verl';
  left: LeftOver[];
};
