import type { RenderedStage } from '../plan/job.ts';
import type { ModelTraits } from '../study/model-behind.ts';
import type { Told } from '../study/origins.ts';
import type { Study } from '../study/schema.ts';
import type { Stage } from '../study/stage-schemas.ts';
import type { Machine } from '../study/target-schema.ts';

/** What a renderer is given. */
export type StageContext<S extends Stage = Stage> = {
  study: Study;
  stageName: string;
  stage: S;
  /** The root seed, null for a stage that runs once for all. */
  seed: number | null;
  /** The nodes that the job has. */
  machine: Machine;
  told: Told;
  /** Of the model that the stage starts from. */
  modelTraits: ModelTraits;
};

/** `code`: our own node-side modules that the job runs, whose source is part of the job's identity. */
export type Rendered = RenderedStage & { code: string[] };
