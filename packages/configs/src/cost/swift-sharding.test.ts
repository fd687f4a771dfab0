import { describe, expect, it } from 'vitest';
import { costOf, needed, whyOf } from './testing-costs.ts';
import { type Edit, sftOption, sftWord, zero3 } from './testing-edits.ts';

describe('DeepSpeed that is written out', () => {
  const mapping = (more: string): Edit => sftOption(`deepspeed: { zero_optimization: { ${more} } }`);

  it('in a file is not read, so memory and checkpoint are unknown; steps and FLOPs do not need it', () => {
    const cost = costOf('sft', sftOption('deepspeed: /shared/ds.json'));
    expect(whyOf(cost.memory)).toBe('what the `deepspeed` file says is not read');
    expect(whyOf(cost.disk)).toBe('what the `deepspeed` file says is not read');
    expect([cost.steps.known, cost.compute.known]).toEqual([true, true]);
  });

  it('as a mapping is as its preset, with its offload', () => {
    expect(costOf('sft', mapping('stage: 3')).memory).toEqual(costOf('sft', zero3).memory);
    const offloaded = 'offload_optimizer: { device: cpu }';
    const all = costOf('sft', mapping(`stage: 3, ${offloaded}, offload_param: { device: cpu }`));
    const preset = costOf('sft', sftWord('parallel: { sharding: zero3, offload: all }'));
    expect(all.memory).toEqual(preset.memory);
    expect(needed(costOf('sft', mapping(`stage: 2, ${offloaded}`)), 'host')).toBeGreaterThan(0);
  });

  it.each([
    ['stage: 0', 'without ZeRO'],
    ['stage: 3, zero_hpz_partition_size: 8', 'zero_hpz_partition_size'],
    ['stage: 3, offload_optimizer: { device: nvme }', 'nvme'],
  ])('%s is not modelled', (written, why) => {
    expect(whyOf(costOf('sft', mapping(written)).memory)).toContain(why);
  });
});
