import { describe, expect, it } from 'vitest';
import { costOf, diskTerms, each, figureOf, gpuTerms, phasesOf } from './testing-costs.ts';
import { lines, megatronRl } from './testing-edits.ts';

const actor = 'actor_rollout_ref.actor';

describe('LoRA in verl', () => {
  const rank = 'actor_rollout_ref.model.lora_rank: 32';
  const lora = costOf('rl', lines(rank));

  it('shards a frozen base of 4 bytes, and trains adapters', () => {
    const terms = gpuTerms(lora);
    expect(each(terms['frozen weights'], 8)).toBeCloseTo(4, 9);
    expect(each(terms['optimizer'], 8)).toBeLessThan(0.1);
    const narrow = costOf('rl', lines(rank, `${actor}.fsdp_config.model_dtype: bf16`));
    expect(each(gpuTerms(narrow)['frozen weights'], 8)).toBeCloseTo(2, 9);
  });

  it('saves the base with the adapters, and states of the adapters alone', () => {
    const terms = diskTerms(lora);
    expect(each(terms['model'])).toBe(4);
    expect((terms['optimizer'] ?? 0) / (terms['adapters'] ?? 1)).toBe(2);
    expect(each(figureOf(lora.disk).checkpoint.total)).toBeLessThan(8.2);
  });

  it('updates without gradients of the base, and its reference is the base itself', () => {
    expect((phasesOf(lines(rank))['update'] ?? 0) / (phasesOf()['update'] ?? 1)).toBeCloseTo(0.77, 1);
    const kl = costOf('rl', lines(rank, `${actor}.use_kl_loss: true`));
    expect(kl.memory).toEqual(lora.memory);
    expect(phasesOf(lines(rank, `${actor}.use_kl_loss: true`))['reference']).toBeGreaterThan(0);
  });

  it('counts Megatron’s own rank and modules', () => {
    const cost = costOf('rl', ...megatronRl(), lines('actor_rollout_ref.model.lora.rank: 32'));
    expect(each(gpuTerms(cost)['frozen weights'], 8)).toBeCloseTo(2, 2);
    expect(each(diskTerms(cost)['optimizer'])).toBeLessThan(0.2);
  });
});
