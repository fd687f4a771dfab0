import { type SeedSource, seedOf, seedTable } from '../seeds/table.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { cpuEnv } from './cpu-env.ts';
import { launchScript } from './launch-script.ts';
import type { Rendered, StageContext } from './render.ts';

const seedSources: readonly SeedSource[] = [
  { source: 'sampling', drives: 'tokens sampled for the replies', effect: 'effective' },
  { source: 'PYTHONHASHSEED', drives: 'order of Python sets', effect: 'inert' },
];

/** Scores each model on the same held-out rows with the same sampler seed. */
export function renderEvaluate({ stageName, stage, seed }: StageContext<StageOf<'evaluate'>>): Rendered {
  const seeds = seedTable(seed ?? 0, stageName, seedSources);
  const argv = ['python', '-m', 'her_workers.evaluate', 'evaluate.json'];
  const env = { ...cpuEnv(stage.needs.cores), PYTHONHASHSEED: String(seedOf(seeds, 'PYTHONHASHSEED')) };
  const config = {
    seed: seedOf(seeds, 'sampling'),
    models: Object.fromEntries(stage.models.map((model) => [model, `inputs/models/${model}`])),
    heldout: 'inputs/heldout.jsonl',
    samples: stage.samples,
    batch: stage.batch,
    max_new_tokens: stage.max_new_tokens,
    temperature: stage.temperature,
  };
  return {
    environment: 'swift',
    files: {
      'evaluate.json': `${JSON.stringify(config, null, 2)}\n`,
      'launch.sh': launchScript({ argv, env }),
    },
    argv,
    env,
    metrics: [{ format: 'plain', path: 'out/metrics.jsonl' }],
    checkpoints: null,
    seedRecord: 'plain',
    outputs: [
      { name: 'scores', path: 'out/scores.json' },
      { name: 'replies', path: 'out/replies.jsonl' },
    ],
    resume: null,
    seeds,
    reproducibility: {
      level: 'bitwise',
      why: 'one process on one CPU, fixed thread count: the same models give the same scores',
    },
    settings: {},
    steps: null,
    code: ['evaluate', 'dialogue', 'rewards'],
  };
}
