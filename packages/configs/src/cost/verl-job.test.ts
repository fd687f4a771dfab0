import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { costOf, each, figureOf, gpuTerms, needed, phasesOf } from './testing-costs.ts';
import { algorithm, type Edit, lines, long, megatronRl, offload, rlWord } from './testing-edits.ts';

const actor = 'actor_rollout_ref.actor';

describe('a reference', () => {
  const kl = `${actor}.use_kl_loss: true`;

  it('of 4 bytes is on the host under FSDP, whatever is said of it: verl keeps it there', () => {
    for (const told of ['true', 'false']) {
      const cost = costOf('rl', lines(kl, `actor_rollout_ref.ref.fsdp_config.param_offload: ${told}`));
      expect(each(needed(cost, 'host'))).toBeCloseTo(4, 9);
      expect(gpuTerms(cost)['reference']).toBeUndefined();
    }
    const narrow = costOf('rl', lines(kl, 'actor_rollout_ref.ref.fsdp_config.model_dtype: bf16'));
    expect(each(needed(narrow, 'host'))).toBeCloseTo(2, 9);
  });

  it('of 2 bytes is where it is told to be under Megatron, over the word', () => {
    const at = (word: string, told: string) =>
      costOf(
        'rl',
        ...megatronRl(`, offload: ${word}`),
        lines(kl, `actor_rollout_ref.ref.megatron.param_offload: ${told}`),
      );
    const here = at('none', 'false');
    expect(each(gpuTerms(here)['reference'], 8)).toBeCloseTo(2, 2);
    expect(needed(here, 'host')).toBe(0);
    expect(each(needed(at('none', 'true'), 'host'))).toBeCloseTo(2, 2);
    const states = needed(costOf('rl', ...megatronRl(', offload: all')), 'host');
    expect(needed(at('all', 'false'), 'host')).toBe(states);
    expect(each(needed(at('all', 'true'), 'host') - states)).toBeCloseTo(2, 2);
  });

  it('takes a pass of its own', () => {
    expect(phasesOf()['reference']).toBe(0);
    const phases = phasesOf(lines(kl));
    expect(phases['reference']).toBe(phases['old log-probabilities']);
  });
});

describe('other jobs of verl', () => {
  it('DAPO is GRPO with what it asks of its prompts', () => {
    const dapo = costOf('rl', algorithm('dapo'), rlWord('overlong: { buffer: 64 }'));
    expect(dapo.memory).toEqual(costOf('rl').memory);
    expect(dapo.steps).toEqual(costOf('rl').steps);
  });

  it('Megatron cuts by tensor parallelism and saves 16 bytes', () => {
    const cost = costOf('rl', ...megatronRl());
    expect(each(gpuTerms(cost)['weights'], 8)).toBeCloseTo(2, 2);
    expect(each(figureOf(cost.disk).checkpoint.total)).toBeCloseTo(16, 9);
  });

  it('a served reward model has GPUs of its own, and its time', () => {
    const served: Edit[] = [
      ['nodes: 1,', 'nodes: 2,'],
      ['global: 16, per_device: 2', 'global: 16, per_device: 1'],
      [
        'reward: { python: "her_workers.rewards.format:score" }',
        'reward: { python: "her_workers.rewards.format:score", model: judge, serve: { gpus_per_node: 8, tensor: 2 } }',
      ],
    ];
    const cost = costOf('rl', ...served);
    const judge = countParameters(KNOWN_SHAPES['qwen3-14b']).total;
    expect(needed(cost, 'reward engine')).toBeGreaterThan(judge);
    expect(each(gpuTerms(cost)['weights'], 8)).toBeCloseTo(4, 9);
    expect(phasesOf(...served)['reward model']).toBeGreaterThan(0);
    const { hours, gpuHours } = figureOf(cost.compute);
    expect(gpuHours.low / hours.low).toBeCloseTo(16, 9);
  });

  it('always keeps all of the actor on the host', () => {
    const terms = gpuTerms(costOf('rl', offload('always'), ...long));
    expect(terms['weights']).toBeUndefined();
    expect(terms['optimizer']).toBeUndefined();
  });
});
