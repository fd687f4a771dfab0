import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  groupsOf,
  knownVersions,
  optionTable,
  pinnedVersions,
  registryOf,
  type TableName,
  type Trainer,
} from './tables.ts';

const counts: [TableName, number][] = [
  [{ trainer: 'ms-swift', command: 'sft' }, 333],
  [{ trainer: 'ms-swift', command: 'rlhf' }, 481],
  [{ trainer: 'ms-swift', command: 'megatron-sft' }, 414],
  [{ trainer: 'ms-swift', command: 'megatron-rlhf' }, 414],
  [{ trainer: 'verl', command: 'fsdp' }, 1027],
  [{ trainer: 'verl', command: 'megatron' }, 1064],
];
const sft = optionTable({ trainer: 'ms-swift', command: 'sft' }).options;
const rlhf = optionTable({ trainer: 'ms-swift', command: 'rlhf' }).options;
const megatronSft = optionTable({ trainer: 'ms-swift', command: 'megatron-sft' }).options;
const fsdp = optionTable({ trainer: 'verl', command: 'fsdp' }).options;
const megatron = optionTable({ trainer: 'verl', command: 'megatron' }).options;

describe('the tables', () => {
  it.each(counts)('of %o hold every option of that command', (name, count) => {
    const table = optionTable(name);
    expect(table).toMatchObject({ ...name, version: pinnedVersions[name.trainer] });
    const composed = Object.values(table.options).filter(({ hidden }) => hidden !== true);
    expect(composed).toHaveLength(count);
  });

  it.each(counts)('of %o have defaults that fit their own choices', (name) => {
    for (const [option, { choices, default: value }] of Object.entries(optionTable(name).options)) {
      if (choices === undefined || value === undefined) continue;
      for (const one of [value].flat()) expect(choices, option).toContain(String(one));
    }
  });

  it('are read once', () => {
    expect(optionTable({ trainer: 'verl', command: 'fsdp' }).options).toBe(fsdp);
  });

  it('refuse a version that nobody has generated', () => {
    expect(() => optionTable({ trainer: 'verl', version: '0.9.0', command: 'fsdp' })).toThrow('verl 0.9.0');
    expect(() => registryOf('ms-swift', 'constructor')).toThrow('ms-swift constructor');
  });
});

describe('the pinned versions', () => {
  it.each([
    ['ms-swift', 'swift'],
    ['verl', 'verl'],
  ] as [Trainer, string][])('of %s is the one in its lock file, and has tables', (trainer, environment) => {
    const lock = readFileSync(
      join(import.meta.dirname, '../../../../infra/envs', environment, 'uv.lock'),
      'utf8',
    );
    expect(lock).toContain(`name = "${trainer}"\nversion = "${pinnedVersions[trainer]}"`);
    expect(knownVersions(trainer)).toContain(pinnedVersions[trainer]);
  });
});

describe('the registries', () => {
  it.each(['ms-swift', 'verl'] as const)('of %s have no empty set', (trainer) => {
    for (const [name, set] of Object.entries(registryOf(trainer)))
      expect(Object.keys(set), name).not.toHaveLength(0);
  });
});

describe('ms-swift 4.6.0', () => {
  const registry = registryOf('ms-swift');

  it('trains LoRA unless told otherwise, and Megatron-SWIFT everything', () => {
    expect(sft['tuner_type']?.default).toBe('lora');
    expect(sft['tuner_type']?.choices).toContain('full');
    expect(megatronSft['tuner_type']?.default).toBe('full');
  });

  it('takes only the templates it has registered, or those of a plugin', () => {
    expect(sft['template']).toMatchObject({ type: 'str', extendedBy: 'external_plugins' });
    expect(sft['template']?.choices).toEqual(registry.templates);
    expect(registry.templates).toContain('qwen3_nothinking');
    expect(registry.templates).not.toContain('qwen3_nothink');
  });

  it('knows the type and template of a hub id, on either hub', () => {
    const both = ['huggingface', 'modelscope'];
    expect(registry.models['Qwen/Qwen3-32B']).toEqual({ type: 'qwen3', template: 'qwen3', hubs: both });
    const llama = { type: 'llama', template: 'llama3' };
    expect(registry.models['meta-llama/Meta-Llama-3-8B']).toEqual({ ...llama, hubs: ['huggingface'] });
    expect(registry.models['LLM-Research/Meta-Llama-3-8B']).toEqual({ ...llama, hubs: ['modelscope'] });
    expect(registry.models['Qwen/Qwen3-32B-Base']).toBeUndefined();
  });

  it('gives every model a type and a template that exist', () => {
    for (const [id, { type, template }] of Object.entries(registry.models)) {
      expect(registry.modelTypes[type], id).toBeDefined();
      expect(registry.templates, id).toContain(template);
    }
  });

  it('cannot tell the type of a Qwen3 folder by its architecture alone', () => {
    const types = Object.entries(registry.modelTypes).flatMap(([type, { architectures }]) =>
      architectures.includes('Qwen3ForCausalLM') ? [type] : [],
    );
    expect(types).toEqual(expect.arrayContaining(['qwen3', 'qwen3_emb', 'qwen3_reranker']));
  });

  it('leaves open what is open: a DeepSpeed preset or a path, scales joined by a plus', () => {
    expect(registry.deepspeedPresets).toContain('zero3_offload');
    expect(sft['deepspeed']?.choices).toBeUndefined();
    expect(registry.lossScaleStrategies).toContain('last_round');
    expect(sft['loss_scale']?.choices).toBeUndefined();
  });

  it('has the losses of what is trained', () => {
    expect(sft['loss_type']?.choices).toEqual(registry.losses.sft);
    expect(rlhf['loss_type']?.choices).toEqual(expect.arrayContaining(['sigmoid', 'dapo', 'kto', 'simpo']));
    expect(rlhf['rlhf_type']?.choices).toEqual(registry.rlhfTypes);
  });

  it('takes the word None, and so null, only where the parser turns it into none', () => {
    expect(sft['truncation_strategy']?.nullable).toBe(true);
    expect(sft['max_length']?.nullable).toBeUndefined();
  });
});

describe('verl 0.9.1', () => {
  it('lists what it would take silently when it is wrong', () => {
    expect(fsdp['algorithm.adv_estimator']?.choices).toEqual(expect.arrayContaining(['grpo', 'gae']));
    expect(fsdp['actor_rollout_ref.actor.policy_loss.loss_mode']?.choices).toContain('gspo');
    expect(fsdp['actor_rollout_ref.actor.kl_loss_type']?.choices).toEqual(
      expect.arrayContaining(['low_var_kl', 'k3+']),
    );
    expect(fsdp['actor_rollout_ref.actor.kl_loss_type']?.choices).not.toContain('full');
    expect(fsdp['trainer.logger']).toMatchObject({ type: 'str', list: true });
    expect(fsdp['trainer.resume_mode']?.choices).toEqual(['disable', 'auto', 'resume_path']);
  });

  it('has the strategies of the model engine', () => {
    expect(fsdp['actor_rollout_ref.actor.strategy']?.choices).toContain('fsdp2');
    expect(megatron['actor_rollout_ref.actor.strategy']?.choices).toEqual(['megatron']);
    expect(fsdp['actor_rollout_ref.actor.megatron.tensor_model_parallel_size']).toBeUndefined();
    expect(megatron['actor_rollout_ref.actor.megatron.tensor_model_parallel_size']?.type).toBe('int');
  });

  it('takes a type from the dataclass where the default does not show one', () => {
    const batch = fsdp['actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu'];
    expect(batch).toEqual({ type: 'int', nullable: true });
    expect(fsdp['actor_rollout_ref.rollout.n']).toEqual({ type: 'int', default: 1 });
    expect(fsdp['actor_rollout_ref.actor.clip_ratio_c']).toEqual({ type: 'float', default: 3 });
    expect(fsdp['trainer.total_epochs']).toEqual({ type: 'float', default: 30 });
  });

  it('names the option that another one follows', () => {
    expect(fsdp['actor_rollout_ref.rollout.prompt_length']).toMatchObject({
      type: 'int',
      follows: 'data.max_prompt_length',
    });
    expect(fsdp['critic.checkpoint.load_contents']?.follows).toBe('critic.checkpoint.save_contents');
    for (const [option, { follows }] of [...Object.entries(fsdp), ...Object.entries(megatron)]) {
      if (follows !== undefined) expect(fsdp[follows] ?? megatron[follows], option).toBeDefined();
    }
  });

  it('gives an option the choices of the one it follows', () => {
    const contents = { type: 'str', list: true, choices: ['extra', 'hf_model', 'model', 'optimizer'] };
    expect(fsdp['actor_rollout_ref.actor.checkpoint.save_contents']).toMatchObject(contents);
    expect(fsdp['actor_rollout_ref.actor.checkpoint.load_contents']).toMatchObject(contents);
    expect(fsdp['critic.loss_agg_mode']?.choices).toEqual(registryOf('verl').lossAggregations);
  });

  it('must be told its rollout', () => {
    expect(fsdp['actor_rollout_ref.rollout.name']).toMatchObject({ type: 'str', required: true });
  });

  it('is put together from its config groups', () => {
    const { options, defaults } = groupsOf('verl');
    expect(options['model_engine']).toEqual(['dp', 'megatron', 'torchtitan', 'veomni']);
    expect(defaults.fsdp['actor@actor_rollout_ref.actor']?.option).toBe('dp_actor');
    expect(defaults.megatron['actor@actor_rollout_ref.actor']?.option).toBe('megatron_actor');
    for (const { group, option } of Object.values(defaults.megatron))
      expect(options[group]).toContain(option);
  });
});
