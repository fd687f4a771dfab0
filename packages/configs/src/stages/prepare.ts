import type { StageOf } from '../study/stage-schemas.ts';
import { cpuEnv } from './cpu-env.ts';
import { launchScript } from './launch-script.ts';
import type { Rendered, StageContext } from './render.ts';

/** Builds the start model and the corpus; one seed, written in the study, for all. */
export function renderPrepare({ stage }: StageContext<StageOf<'prepare'>>): Rendered {
  const argv = ['python', '-m', 'her_workers.prepare', 'prepare.json'];
  const env = { ...cpuEnv(stage.needs.cores), PYTHONHASHSEED: String(stage.seed) };
  const { seed, vocab, rows, books, model } = stage;
  const config = { seed, vocab, rows: { ...rows, rl_val: 0 }, books: { ...books, rl_val: 0 }, model };
  return {
    environment: 'swift',
    files: {
      'prepare.json': `${JSON.stringify(config, null, 2)}\n`,
      'launch.sh': launchScript({ argv, env }),
    },
    argv,
    env,
    metrics: [{ format: 'plain', path: 'out/metrics.jsonl' }],
    checkpoints: null,
    seedRecord: 'plain',
    outputs: [
      { name: 'model', path: 'out/model' },
      { name: 'sft', path: 'out/sft.jsonl' },
      { name: 'heldout', path: 'out/heldout.jsonl' },
      { name: 'rl', path: 'out/rl.parquet' },
    ],
    resume: null,
    seeds: [
      { source: 'corpus', value: seed, drives: 'words of the corpus', effect: 'effective' },
      { source: 'model_init', value: seed, drives: 'start weights', effect: 'effective' },
      { source: 'PYTHONHASHSEED', value: stage.seed, drives: 'order of Python sets', effect: 'inert' },
    ],
    reproducibility: {
      level: 'bitwise',
      why: 'the corpus and the weights are drawn from one seed in one process',
    },
    settings: {},
    steps: null,
    code: ['prepare', 'dialogue'],
  };
}
