import type { Stage, StageOf } from '../study/stage-schemas.ts';
import { renderEvaluate } from './evaluate.ts';
import { renderPrepare } from './prepare.ts';
import { renderRl } from './rl/render.ts';
import type { Rendered, StageContext } from './stage-context.ts';
import { renderSwift } from './swift/render.ts';

export function renderStage(context: StageContext): Rendered {
  const { stage } = context;
  switch (stage.kind) {
    case 'prepare':
      return renderPrepare(withStage(context, stage));
    case 'sft':
    case 'rlhf':
      return renderSwift({ ...context, stage });
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
