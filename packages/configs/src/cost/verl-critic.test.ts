import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { costOf, each, figureOf, gpuTerms, needed, P, phasesOf, whyOf } from './testing-costs.ts';
import { algorithm, type Edit, lines, megatronRl, rlWord } from './testing-edits.ts';

describe('a critic', () => {
  const path = (where: string, ...more: string[]): Edit =>
    lines(`critic.model.path: ${where}`, 'critic.ppo_micro_batch_size_per_gpu: 2', ...more);
  const own = path('/models/Qwen3-8B');
  const { embedding } = countParameters(KNOWN_SHAPES['qwen3-8b']);
  const values = P - embedding;

  it('rests beside the policy with 12 bytes a parameter, or on the host', () => {
    const terms = gpuTerms(costOf('rl', algorithm('gae'), own));
    expect(((terms['critic weights'] ?? 0) * 8) / values).toBeCloseTo(4, 9);
    expect(((terms['critic optimizer'] ?? 0) * 8) / values).toBeCloseTo(8, 9);
    const away = ['critic.fsdp.param_offload: true', 'critic.fsdp.optimizer_offload: true'];
    const host = costOf('rl', algorithm('gae'), path('/models/Qwen3-8B', ...away));
    expect(needed(host, 'host') / values).toBeCloseTo(12, 9);
    expect(gpuTerms(host)['critic weights']).toBeUndefined();
  });

  it('is computed forward once, updated, and saved; all its checkpoints stay unless told otherwise', () => {
    const phases = phasesOf(algorithm('gae'), own);
    expect((phases['critic update'] ?? 0) / (phases['values'] ?? 1)).toBeCloseTo(4, 9);
    const gae = figureOf(costOf('rl', algorithm('gae'), own, rlWord('keep: 2')).disk);
    const grpo = figureOf(costOf('rl', rlWord('keep: 2')).disk);
    expect(gae.checkpoint.total - grpo.checkpoint.total).toBe(12 * values);
    expect(gae.peak - grpo.peak).toBe(2 * 12 * values);
  });

  it('of an unknown model makes everything unknown but the steps', () => {
    const cost = costOf('rl', algorithm('gae'), path('/models/mine'));
    for (const figure of [cost.memory, cost.disk, cost.compute])
      expect(whyOf(figure)).toContain('the critic `/models/mine` is not known');
  });

  it('of Megatron is cut by its own sizes', () => {
    const cut = path('/models/Qwen3-8B', 'critic.megatron.tensor_model_parallel_size: 8');
    const terms = gpuTerms(costOf('rl', ...megatronRl(), algorithm('gae'), cut));
    expect(each(terms['critic weights'], 8)).toBeCloseTo((2 * values) / P, 2);
    const whole = gpuTerms(costOf('rl', ...megatronRl(), algorithm('gae'), own));
    expect(each(whole['critic weights'])).toBeCloseTo((2 * values) / P, 2);
  });

  it('with adapters trains those alone', () => {
    const terms = gpuTerms(
      costOf('rl', algorithm('gae'), path('/models/Qwen3-8B', 'critic.model.lora_rank: 8')),
    );
    expect(((terms['critic frozen weights'] ?? 0) * 8) / values).toBeCloseTo(4, 9);
    expect(each(terms['critic optimizer'], 8)).toBeLessThan(0.1);
  });

  it('is not there for other algorithms, whatever is said of it', () => {
    expect(costOf('rl', own).memory).toEqual(costOf('rl').memory);
  });
});
