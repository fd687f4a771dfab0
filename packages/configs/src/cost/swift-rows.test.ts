import { describe, expect, it } from 'vitest';
import type { Study } from '../study/schema.ts';
import { costOf, costWithout, figureOf, gpuTerms, whyOf } from './testing-costs.ts';
import { type Edit, sftOption, sftWord } from './testing-edits.ts';

const mean = (tokens: number | string): Edit => ['mean_tokens: 1000', `mean_tokens: ${tokens}`];
const epochs = (count: string): Edit => ['epochs: 3\n', `epochs: ${count}\n`];
const packing = (more = ''): Edit => sftOption(`attn_impl: flash_attn\n      packing: true${more}`);
const length = (tokens: string): Edit => packing(`\n      packing_length: ${tokens}`);
const megatron: Edit[] = [
  ['    kind: sft\n', '    kind: sft\n    trainer: megatron-swift\n'],
  [
    '      lr_scheduler_type: cosine\n      warmup_ratio: 0.05\n      weight_decay: 0.0\n      optim: adamw_torch',
    '      lr_decay_style: cosine',
  ],
  ['learning_rate: 3.0e-3', 'lr: 3.0e-3'],
];

function losesAll({ stages }: Study): void {
  const { sft } = stages;
  if (sft?.kind === 'sft' && typeof sft.overlong === 'object') sft.overlong.delete = 99_999;
}

describe('rows over max_length', () => {
  it.each(['left', 'right', '{ delete: 100 }'])(
    'with overlong %s count as max_length at most, which is said',
    (word) => {
      const { tokens, assumptions } = figureOf(
        costOf('sft', mean(50_000), sftWord(`overlong: ${word}`)).compute,
      );
      expect(tokens).toBe(3 * 10_000 * 4096);
      expect(assumptions.at(-1)).toMatchObject({ name: 'mean tokens of a row', low: 4096, high: 4096 });
    },
  );

  it('that are an error contradict a mean above it: no tokens, and no packs', () => {
    const cost = costOf('sft', mean(50_000));
    expect(whyOf(cost.compute)).toContain('`mean_tokens` 50000 is above max_length 4096');
    expect(cost.steps.known).toBe(true);
    expect(whyOf(costOf('sft', mean(50_000), packing()).steps)).toBe(whyOf(cost.compute));
  });

  it('that may go are never more than there are', () => {
    const some = figureOf(costOf('sft', sftWord('overlong: { delete: 1000 }')).steps);
    expect(some).toEqual({ low: 1689, high: 1875 });
    const all = figureOf(costWithout('sft', losesAll, sftWord('overlong: { delete: 1000 }')).steps);
    expect(all.low).toBeGreaterThan(0);
    const packs = (...edits: Edit[]) => figureOf(costOf('sft', packing(), ...edits).steps).low;
    expect(packs(sftWord('overlong: { delete: 1000 }'))).toBeLessThan(packs());
    expect(all.high).toBe(1875);
  });
});

describe('packs', () => {
  it('are as long as max_length unless told otherwise', () => {
    const packs = figureOf(costOf('sft', packing()).steps);
    // 10,000 rows of 1000 tokens fill 2442 packs of 4096, and 2713 at nine tenths.
    expect(packs).toEqual({ low: 3 * 153, high: 3 * 170 });
    expect(costOf('sft', packing()).steps).toEqual(costOf('sft', length('4096')).steps);
    expect(costOf('sft', packing()).steps).toEqual(costOf('sft', length('0')).steps);
  });

  it('that are longer hold more rows, and their activations and logits are in memory', () => {
    const long = costOf('sft', length('32768'), sftWord('parallel: { sharding: zero3 }'));
    expect(figureOf(long.steps).high).toBeLessThan(3 * 25);
    const logits = gpuTerms(long)['logits'];
    expect(logits).toBe(2 * 32_768 * 151_936 * 10);
  });

  it('that are shorter than a row do not make rows shorter', () => {
    const short = costOf('sft', length('500'));
    expect(figureOf(short.steps)).toEqual({ low: 1875, high: 1875 });
    expect(short.memory).toEqual(costOf('sft', packing()).memory);
  });

  it('of no length are not predicted', () => {
    const cost = costOf('sft', length('-1'));
    for (const figure of [cost.steps, cost.memory, cost.disk])
      expect(whyOf(figure)).toBe('`packing_length: -1` is not a number of tokens');
  });
});

describe('numbers without sense', () => {
  it.each(['1e300', '1e17'])('epochs: %s are more steps than can be counted', (count) => {
    const cost = costOf('sft', epochs(count));
    for (const figure of [cost.steps, cost.disk, cost.compute])
      expect(whyOf(figure)).toBe('more steps than can be counted: see `epochs`');
    expect(cost.memory.known).toBe(true);
  });

  it('no figure is infinite or not a number', () => {
    const noMemory = ({ target }: Study): void => {
      target.memory_gb = 1e-320;
    };
    const offload = sftWord('parallel: { sharding: zero3, offload: all }');
    expect(whyOf(costWithout('sft', noMemory, offload).memory)).toContain('too large');
    expect(JSON.stringify(costOf('sft', mean('1e308'), sftWord('overlong: left')))).not.toContain('null,');
  });

  it('Megatron makes no step of fewer rows than a batch', () => {
    const cost = costOf('sft', ...megatron, ['rows: 10000', 'rows: 4'], epochs('1'));
    expect(whyOf(cost.steps)).toBe('fewer rows than a batch: no step is made');
    expect(whyOf(cost.disk)).toBe(whyOf(cost.steps));
  });
});
