import type { RenderedStage } from '../plan/job.ts';
import type { Study } from '../study/schema.ts';
import type { Stage, StageOf } from '../study/stage-schemas.ts';
import { renderEvaluate } from './evaluate.ts';
import { renderPrepare } from './prepare.ts';
import { renderRl } from './rl/render.ts';
import { renderSft } from './sft.ts';

/** What a renderer is given. `seed` is the root seed, null for a stage that runs once for all. */
export type StageContext<S extends Stage = Stage> = {
  study: Study;
  stageName: string;
  stage: S;
  seed: number | null;
};

/** `code`: our own node-side modules that the job runs, whose source is part of the job's identity. */
export type Rendered = RenderedStage & { code: string[] };

export function renderStage(context: StageContext): Rendered {
  const { stage } = context;
  switch (stage.kind) {
    case 'prepare':
      return renderPrepare(withStage(context, stage));
    case 'sft':
      return renderSft(withStage(context, stage));
    case 'rl':
      return renderRl(withStage(context, stage));
    case 'evaluate':
      return renderEvaluate(withStage(context, stage));
  }
}

function withStage<K extends Stage['kind']>(
  context: StageContext,
  stage: StageOf<K>,
): StageContext<StageOf<K>> {
  return { ...context, stage };
}
