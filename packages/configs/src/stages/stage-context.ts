import type { RenderedStage } from '../plan/job.ts';
import type { Study } from '../study/schema.ts';
import type { Stage } from '../study/stage-schemas.ts';

/** What a renderer is given. `seed` is the root seed, null for a stage that runs once for all. */
export type StageContext<S extends Stage = Stage> = {
  study: Study;
  stageName: string;
  stage: S;
  seed: number | null;
};

/** `code`: our own node-side modules that the job runs, whose source is part of the job's identity. */
export type Rendered = RenderedStage & { code: string[] };
