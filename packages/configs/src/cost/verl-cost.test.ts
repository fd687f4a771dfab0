import { describe, expect, it } from 'vitest';
import type { Study } from '../study/schema.ts';
import { costOf, costWithout, each, figureOf, gpuTerms, needed, whyOf } from './testing-costs.ts';
import { type Edit, lines, long, offload, rlWord } from './testing-edits.ts';

const actor = 'actor_rollout_ref.actor';

describe('GRPO under FSDP', () => {
  it('keeps 4 + 8 bytes a parameter beside the engine, and moves to the host what it is told to', () => {
    const none = gpuTerms(costOf('rl'));
    expect(each(none['weights'], 8)).toBeCloseTo(4, 9);
    expect(each(none['optimizer'], 8)).toBeCloseTo(8, 9);
    expect(none['rollout engine']).toBeGreaterThan(0);
    expect(each(needed(costOf('rl', offload('all')), 'host'))).toBeCloseTo(12, 9);
    expect(each(needed(costOf('rl', offload('optimizer')), 'host'))).toBeCloseTo(8, 9);
  });

  it('options of verl decide over the word, both ways', () => {
    const weights = `${actor}.fsdp_config.param_offload`;
    const states = `${actor}.fsdp_config.optimizer_offload`;
    const on = costOf('rl', lines(`${weights}: true`, `${states}: true`));
    expect(on.memory).toEqual(costOf('rl', offload('all')).memory);
    const off = costOf('rl', offload('all'), lines(`${weights}: false`, `${states}: false`));
    expect(off.memory).toEqual(costOf('rl').memory);
    const one = costOf('rl', offload('all'), lines(`${weights}: false`));
    expect(one.memory).toEqual(costOf('rl', offload('optimizer')).memory);
  });

  it('saves 16 bytes a parameter, and 4 when nothing is resumed', () => {
    expect(each(figureOf(costOf('rl').disk).checkpoint.total)).toBe(16);
    const weights = costOf('rl', rlWord('resumable: false'));
    expect(each(figureOf(weights.disk).checkpoint.total)).toBe(4);
  });

  it('trained in 16 bits holds half, and saves half', () => {
    const cost = costOf('rl', lines(`${actor}.fsdp_config.model_dtype: bf16`));
    expect(each(gpuTerms(cost)['weights'], 8)).toBeCloseTo(2, 9);
    expect(each(figureOf(cost.disk).checkpoint.total)).toBe(8);
  });

  it('holds the logits of a fused loss in chunks, and a chunked entropy none of its own', () => {
    const logits = (...options: string[]): number =>
      gpuTerms(costOf('rl', ...long, offload('all'), ...(options.length > 0 ? [lines(...options)] : [])))[
        'logits'
      ] ?? 0;
    const chunked = logits(`${actor}.entropy_from_logits_with_chunking: true`);
    const rows = 2 * (384 + 16_384);
    expect(logits()).toBe(rows * 151_936 * 14);
    expect(chunked).toBe(rows * 151_936 * 10);
    const fused = costOf(
      'rl',
      ...long,
      offload('all'),
      lines('actor_rollout_ref.model.use_fused_kernels: true'),
    );
    expect(needed(fused, 'gpu')).toBeLessThan(needed(costOf('rl', ...long, offload('all')), 'gpu') / 2);
  });

  it('computes padding where it is not removed', () => {
    const flops = (...edits: Edit[]): number => figureOf(costOf('rl', ...edits).compute).flops;
    const padded = flops(lines('actor_rollout_ref.model.use_remove_padding: false'));
    expect(padded / flops()).toBeGreaterThan((384 + 128) / (200 + 64));
  });

  it('does not guess at an optimizer', () => {
    const cost = costOf('rl', lines(`${actor}.optim.optimizer: Muon`));
    expect(whyOf(cost.memory)).toContain('optimizer: Muon');
    expect(cost.compute.known).toBe(true);
    const sgd = costOf('rl', lines(`${actor}.optim.optimizer: SGD`));
    expect(gpuTerms(sgd)['optimizer']).toBeUndefined();
    expect(each(figureOf(sgd.disk).checkpoint.total)).toBe(8);
  });
});

function fewPrompts({ data }: Study): void {
  if (data['rl'] !== undefined) data['rl'].rows = 10;
}

describe('prompts', () => {
  const epochs: Edit = ['    steps: 20', '    epochs: 3'];

  it('make whole batches, epoch by epoch', () => {
    expect(figureOf(costOf('rl', epochs).steps)).toEqual({ low: 1200, high: 1200 });
  });

  it('that do not fill a batch make no step, and no figure of steps', () => {
    const cost = costWithout('rl', fewPrompts, epochs);
    for (const figure of [cost.steps, cost.disk, cost.compute])
      expect(whyOf(figure)).toBe('fewer prompts than a batch: no step is made');
    expect(cost.memory.known).toBe(true);
  });
});
