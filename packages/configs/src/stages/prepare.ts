import type { StageOf } from '../study/stage-schemas.ts';
import { renderOwnModule } from './own-module.ts';
import type { Rendered, StageContext } from './stage-context.ts';

/** Builds the start model and the corpus; one seed, written in the study, for all. */
export function renderPrepare({ stage }: StageContext<StageOf<'prepare'>>): Rendered {
  const { seed, vocab, rows, books, model } = stage;
  return renderOwnModule({
    name: 'prepare',
    config: { seed, vocab, rows: { ...rows, rl_val: 0 }, books: { ...books, rl_val: 0 }, model },
    cores: stage.needs.cores,
    seeds: [
      { source: 'corpus', value: seed, drives: 'words of the corpus', effect: 'effective' },
      { source: 'model_init', value: seed, drives: 'start weights', effect: 'effective' },
      { source: 'PYTHONHASHSEED', value: seed, drives: 'order of Python sets', effect: 'inert' },
    ],
    outputs: [
      { name: 'model', path: 'out/model' },
      { name: 'sft', path: 'out/sft.jsonl' },
      { name: 'heldout', path: 'out/heldout.jsonl' },
      { name: 'rl', path: 'out/rl.parquet' },
    ],
    reproducibility: {
      level: 'bitwise',
      why: 'the corpus and the weights are drawn from one seed in one process',
    },
    code: ['prepare', 'dialogue', 'stage_output'],
  });
}
