import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import type { Study } from '../study/schema.ts';
import {
  costOf,
  costWithout,
  diskTerms,
  type Edit,
  figureOf,
  gpuTerms,
  needed,
  rlOption,
  rlWord,
  whyOf,
} from './testing-costs.ts';

const { total: P } = countParameters(KNOWN_SHAPES['qwen3-8b']);
const actor = 'actor_rollout_ref.actor';
const offload = (word: string): Edit => rlWord(`parallel: { offload: ${word} }`);
const lines = (...options: string[]): Edit => rlOption(options.join('\n      '));
const algorithm = (name: string): Edit => ['algorithm: grpo', `algorithm: ${name}`];
const megatron = (more = ''): Edit[] => [
  ['algorithm: grpo', 'engine: megatron\n    algorithm: grpo'],
  rlWord(`parallel: { tensor: 8, rollout_tensor: 8${more} }`),
];
/** Replies of 16,384 tokens, so that a pass over them is the fullest moment. */
const long: Edit[] = [
  ['response: 128 }', 'response: 16384 }'],
  ['max_num_batched_tokens: 4096', 'max_num_batched_tokens: 32768'],
];

const phasesOf = (...edits: Edit[]): Record<string, number> => {
  const compute = figureOf(costOf('rl', ...edits).compute);
  if (!('phases' in compute)) throw new TypeError('the time of RL has phases');
  const phases = compute.phases as { name: string; hours: { low: number } }[];
  return Object.fromEntries(phases.map(({ name, hours }) => [name, hours.low]));
};
const each = (bytes: number | undefined, gpus = 1): number => ((bytes ?? 0) * gpus) / P;

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

  it('saves 14 bytes a parameter', () => {
    expect(each(figureOf(costOf('rl').disk).checkpoint.total)).toBe(14);
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
    expect(each(figureOf(sgd.disk).checkpoint.total)).toBe(6);
  });
});

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
        ...megatron(`, offload: ${word}`),
        lines(kl, `actor_rollout_ref.ref.megatron.param_offload: ${told}`),
      );
    const here = at('none', 'false');
    expect(each(gpuTerms(here)['reference'], 8)).toBeCloseTo(2, 2);
    expect(needed(here, 'host')).toBe(0);
    expect(each(needed(at('none', 'true'), 'host'))).toBeCloseTo(2, 2);
    const states = needed(costOf('rl', ...megatron(', offload: all')), 'host');
    expect(needed(at('all', 'false'), 'host')).toBe(states);
    expect(each(needed(at('all', 'true'), 'host') - states)).toBeCloseTo(2, 2);
  });

  it('takes a pass of its own', () => {
    expect(phasesOf()['reference']).toBe(0);
    const phases = phasesOf(lines(kl));
    expect(phases['reference']).toBe(phases['old log-probabilities']);
  });
});

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
    expect(figureOf(lora.disk).checkpoint.total).toBeLessThan(
      figureOf(costOf('rl').disk).checkpoint.total / 2,
    );
  });

  it('updates without gradients of the base, and its reference is the base itself', () => {
    expect((phasesOf(lines(rank))['update'] ?? 0) / (phasesOf()['update'] ?? 1)).toBeCloseTo(0.77, 1);
    const kl = costOf('rl', lines(rank, `${actor}.use_kl_loss: true`));
    expect(kl.memory).toEqual(lora.memory);
    expect(phasesOf(lines(rank, `${actor}.use_kl_loss: true`))['reference']).toBeGreaterThan(0);
  });

  it('counts Megatron’s own rank and modules', () => {
    const cost = costOf('rl', ...megatron(), lines('actor_rollout_ref.model.lora.rank: 32'));
    expect(each(gpuTerms(cost)['frozen weights'], 8)).toBeCloseTo(2, 2);
    expect(each(diskTerms(cost)['optimizer'])).toBeLessThan(0.2);
  });
});

describe('other jobs of verl', () => {
  it('DAPO is GRPO with what it asks of its prompts', () => {
    const dapo = costOf('rl', algorithm('dapo'), rlWord('overlong: { buffer: 64 }'));
    expect(dapo.memory).toEqual(costOf('rl').memory);
    expect(dapo.steps).toEqual(costOf('rl').steps);
  });

  it('Megatron cuts by tensor parallelism and saves 16 bytes', () => {
    const cost = costOf('rl', ...megatron());
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

  it('is not there for other algorithms, whatever is said of it', () => {
    expect(costOf('rl', own).memory).toEqual(costOf('rl').memory);
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
