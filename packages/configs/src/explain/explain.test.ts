import { describe, expect, it } from 'vitest';
import { loadStudy } from '../load/load.ts';
import { edited, planOf, studyText } from '../testing.ts';
import { explain } from './explain.ts';
import { optionInJobs, wordInJobs } from './in-study.ts';

const only = <T>(found: readonly T[]): T => {
  const [one] = found;
  if (one === undefined || found.length > 1) throw new TypeError(`${found.length} were found`);
  return one;
};
const option = (name: string) => only(explain(name).options);

describe('an option', () => {
  it('is told with its declaration and the commands that share it', () => {
    expect(option('lora_alpha')).toMatchObject({ trainer: 'ms-swift', version: '4.6.0' });
    expect(option('lora_alpha').variants).toMatchObject([
      { commands: ['sft', 'rlhf', 'megatron-sft', 'megatron-rlhf'], option: { default: 32 } },
    ]);
  });

  it('is told apart where commands declare it otherwise', () => {
    const variants = option('actor_rollout_ref.actor.strategy').variants;
    expect(variants.map(({ commands }) => commands)).toEqual([['fsdp'], ['megatron']]);
  });

  it('is found by its end, with several meanings side by side', () => {
    expect(explain('rollout.n').options.map(({ name }) => name)).toEqual([
      'actor_rollout_ref.rollout.n',
      'reward.reward_model.rollout.n',
    ]);
  });

  it('names the longer names that end so', () => {
    const found = explain('seed');
    expect(found.options.map(({ name }) => name)).toEqual(['seed']);
    expect(found.alsoEnding).toContain('actor_rollout_ref.rollout.seed');
  });

  it('names the word of the study that says it', () => {
    expect(option('actor_rollout_ref.rollout.n').variants).toMatchObject([
      { word: 'batch.samples', wordWith: null },
    ]);
    expect(option('save_steps').variants[0]).toMatchObject({ word: 'save_every', wordWith: null });
  });

  it('says where only one algorithm takes it over', () => {
    expect(option('reward.reward_manager.name').variants).toMatchObject([
      { word: 'algorithm: dapo', wordWith: 'dapo' },
    ]);
  });

  it('says what this program sets where the study is silent, and why', () => {
    expect(option('use_cpu').variants[0]?.chosen).toEqual([{ value: true, why: 'the target has no GPU' }]);
  });

  it('says which word sets it where options may say otherwise', () => {
    expect(option('deepspeed').variants).toMatchObject([{ word: null, setBy: 'parallel.sharding' }]);
  });

  it('is told with the rules of its own commands only', () => {
    const says = option('deepspeed').rules.map((rule) => rule.says);
    expect(says).toContain('States rest in host memory through DeepSpeed only.');
    expect(says).not.toContain('Megatron spreads its states itself.');
    const rule = option('actor_rollout_ref.actor.use_dynamic_bsz').rules[0];
    expect(rule?.with).toEqual(['actor_rollout_ref.actor.ppo_max_token_len_per_gpu']);
  });

  it('that verl does not read is told with what took its place', () => {
    const found = option('algorithm.filter_groups.max_num_gen_batches');
    expect(found.replacedBy).toMatch(/^nothing: .* without a bound on tries$/);
    expect(found.rules).toEqual([]);
    expect(option('reward_model.reward_manager').replacedBy).toBe('reward.reward_manager.name');
    expect(option('reward_model.rollout.dtype').replacedBy).toBe('reward.reward_model.rollout.dtype');
  });

  it('that ms-swift only calls a text has the names of its registry', () => {
    expect(option('attn_impl').known?.names).toContain('flash_attn');
    expect(option('template').variants[0]?.option?.choices).toContain('qwen3_nothinking');
  });

  it('that verl does not declare and this program adds is told as such', () => {
    expect(option('reward.reward_kwargs.max_resp_len').variants).toMatchObject([
      { option: null, word: 'length.response' },
    ]);
  });

  it('that nobody knows is answered with the nearest names', () => {
    expect(explain('learnin_rate')).toMatchObject({ options: [], words: [], near: ['learning_rate'] });
    expect(explain('constructor').options).toEqual([]);
  });
});

describe('a word of the study', () => {
  it('is told with the options that it sets', () => {
    const word = only(explain('batch.global').words);
    expect(word).toMatchObject({ stages: ['sft', 'rlhf'], type: 'whole number', required: true });
    expect(word.about).toMatch(/^Rows /);
    expect(word.sets.map((target) => target.option)).toEqual([
      'gradient_accumulation_steps',
      'global_batch_size',
    ]);
  });

  it('is several where stages mean several things by it', () => {
    const words = explain('overlong').words;
    expect(words.map(({ stages }) => stages)).toEqual([['sft', 'rlhf'], ['rl']]);
    expect(words[1]?.sets.map((target) => target.option)).toEqual([
      'reward.reward_kwargs.overlong_buffer_cfg',
    ]);
  });

  it('has its choices and its default', () => {
    const { choices, default: value, required } = only(explain('parallel.sharding').words);
    expect({ choices, value, required }).toMatchObject({ value: 'none', required: false });
    expect(choices).toContain('zero3');
  });

  it('is found as an error prints it', () => {
    expect(only(explain('stages.sft.batch.global').words).word).toBe('batch.global');
    expect(explain('stages.sft.options.learning_rate').options[0]?.name).toBe('learning_rate');
  });

  it('of a stage is not taken for one of the file', () => {
    const words = explain('data').words;
    expect(words.find(({ stages }) => stages.length === 0)?.sets).toEqual([]);
    expect(words.find(({ stages }) => stages.includes('sft'))?.sets).toMatchObject([{ option: 'dataset' }]);
    expect(only(explain('models.NAME.type').words).sets).toMatchObject([{ option: 'model_type' }]);
  });

  it('that every stage has is told once', () => {
    expect(only(explain('kind').words)).toMatchObject({ choices: expect.arrayContaining(['sft', 'rl']) });
  });
});

describe('in a study', () => {
  const text = edited([
    'learning_rate: 3.0e-3',
    'learning_rate: { value: 3.0e-3, origin: paper, evidence: Table 3 }',
  ]);
  const loaded = loadStudy(text, 'study.yaml', { exists: () => true });
  const { jobs } = planOf(text);
  const values = (name: string) => optionInJobs(option(name), loaded, jobs);

  it('an option has a value, an origin and evidence; jobs that agree are one', () => {
    expect(values('learning_rate')).toEqual([
      {
        jobs: ['sft/11', 'sft/23'],
        setting: { value: 0.003, origin: 'paper', evidence: 'Table 3', key: 'options.learning_rate' },
      },
    ]);
  });

  it('an option that nobody sets is told as that, and one of another trainer not at all', () => {
    expect(values('adam_beta2')).toEqual([{ jobs: ['sft/11', 'sft/23'], setting: null }]);
    expect(values('train_iters')).toEqual([]);
  });

  it('a word has the value of each stage that has it, or of the whole study', () => {
    const word = (name: string) => explain(name).words.flatMap((facts) => wordInJobs(facts, loaded, jobs));
    expect(word('batch.global')).toEqual([
      { jobs: ['sft/11', 'sft/23'], setting: { value: 16, origin: 'user' } },
    ]);
    expect(word('seeds')).toEqual([{ jobs: ['all'], setting: { value: [11, 23], origin: 'user' } }]);
    expect(word('loss')).toMatchObject([{ setting: { value: 'last_round', origin: 'her' } }]);
    expect(studyText).not.toContain('loss:');
  });
});
