import { type SeedSource, seedOf, seedTable } from '../seeds/table.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { renderOwnModule } from './own-module.ts';
import type { Rendered, StageContext } from './stage-context.ts';

const seedSources: readonly SeedSource[] = [
  { source: 'sampling', drives: 'tokens sampled for the replies', effect: 'effective' },
  { source: 'PYTHONHASHSEED', drives: 'order of Python sets', effect: 'inert' },
];

/** Scores each model on the same held-out rows with the same sampler seed. */
export function renderEvaluate({ stageName, stage, seed }: StageContext<StageOf<'evaluate'>>): Rendered {
  const seeds = seedTable(seed ?? 0, stageName, seedSources);
  return renderOwnModule({
    name: 'evaluate',
    config: {
      seed: seedOf(seeds, 'sampling'),
      models: Object.fromEntries(stage.models.map((model) => [model, `inputs/models/${model}`])),
      heldout: 'inputs/heldout.jsonl',
      samples: stage.samples,
      batch: stage.batch,
      max_new_tokens: stage.max_new_tokens,
      temperature: stage.temperature,
    },
    cores: stage.needs.cores,
    seeds,
    outputs: [
      { name: 'scores', path: 'out/scores.json' },
      { name: 'replies', path: 'out/replies.jsonl' },
    ],
    reproducibility: {
      level: 'bitwise',
      why: 'one process on one CPU, fixed thread count: the same models give the same scores',
    },
    code: ['evaluate', 'dialogue', 'rewards', 'stage_output'],
  });
}
