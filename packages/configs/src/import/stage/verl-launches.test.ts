import { describe, expect, it } from 'vitest';
import { importScript } from '../index.ts';
import { importStudy } from './import-study.ts';

const words = [
  'algorithm.adv_estimator=grpo',
  'data.train_files=/d/train.parquet',
  'actor_rollout_ref.model.path=/m',
  'trainer.save_freq=10',
  'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1',
];
const main = (...more: string[]): string =>
  `python3 -m verl.trainer.main_ppo ${[...words, ...more].join(' ')}\n`;

/** The stages of a script and what was left out as `code option`. */
function imported(script: string) {
  const { launches } = importScript(script, { file: 'run.sh' });
  const made = importStudy(launches, 'study');
  const left = made.left.filter(({ option }) => !/^(trainer\.logger|data\.seed|target)$/.test(option));
  return {
    ...made,
    left,
    rl: (made.study['stages'] as Record<string, Record<string, unknown>>)['rl'],
    said: left.map(({ code, option }) => `${code} ${option}`),
  };
}

describe('another program of verl', () => {
  it.each([
    ['torchrun --standalone -m verl.trainer.sft_trainer', 'verl.trainer.sft_trainer'],
    ['torchrun -m verl.trainer.fsdp_sft_trainer', 'verl.trainer.fsdp_sft_trainer'],
    [
      'python -m verl.experimental.fully_async_policy.fully_async_main',
      'verl.experimental.fully_async_policy.fully_async_main',
    ],
    ['python3 -m recipe.dapo.main_dapo', 'recipe.dapo.main_dapo'],
    ['python3 recipe/one_step_off_policy/main_ppo.py', 'recipe.one_step_off_policy.main_ppo'],
  ])('%s is no stage and is named', (command, module) => {
    const { stages, said } = imported(`${command} ${words.join(' ')}\n`);
    expect(stages).toEqual([]);
    expect(said).toEqual([`not-carried ${module}`]);
  });

  it('that trains nothing is no launch', () => {
    expect(() => imported('python3 -m verl.trainer.main_generation model.path=/m\n')).toThrow(/no training/);
  });

  it('beside its PPO trainer leaves that one a stage', () => {
    const { stages, said } = imported(`torchrun -m verl.trainer.sft_trainer a=1\n${main()}`);
    expect(stages).toEqual(['rl']);
    expect(said).toEqual(['not-carried verl.trainer.sft_trainer']);
  });

  it('that was the older trainer is an option today', () => {
    const { rl, said } = imported(main().replace('main_ppo', 'main_ppo_v0'));
    expect(rl).toMatchObject({ options: { 'trainer.use_v1': false } });
    expect(said).toEqual(['renamed main_ppo_v0']);
  });
});

describe('an engine that a study has not', () => {
  it.each([
    ['model_engine=veomni', 'veomni', 'model_engine'],
    ['model_engine=torchtitan', 'torchtitan', 'model_engine'],
    ['actor@actor_rollout_ref.actor=mlite_actor', 'mlite_actor', 'actor'],
    ['actor_rollout_ref.actor.strategy=fsdp_turbo', 'fsdp_turbo', 'actor_rollout_ref.actor.strategy'],
    ['actor_rollout_ref.ref.strategy=veomni', 'veomni', 'actor_rollout_ref.ref.strategy'],
    ['--config-name=ppo_veomni_trainer', 'veomni', '--config-name'],
  ])('%s makes no stage of fsdp', (word, engine, option) => {
    const { stages, left } = imported(main(word));
    expect(stages).toEqual([]);
    expect(left).toMatchObject([{ code: 'not-carried', option }]);
    expect(left[0]?.message).toContain(`\`${engine}\``);
  });

  it('is not meant by a config of its own, of which is said that it was not read', () => {
    const { stages, said } = imported(main('--config-path=conf', '--config-name=my_grpo'));
    expect(stages).toEqual(['rl']);
    expect(said).toEqual(['not-carried --config-name']);
    expect(imported(main('--config-name=ppo_trainer')).said).toEqual([]);
  });

  it('is asked for where only running would tell it', () => {
    const { left } = imported(main('model_engine=$ENGINE'));
    expect(left).toMatchObject([{ code: 'unknown-value', hint: 'Give `--set ENGINE=…`.' }]);
  });
});

describe('keys of former verl', () => {
  it('go where its own migration puts them', () => {
    const { rl, said } = imported(
      main(
        'reward_model.reward_manager=dapo',
        'reward_model.num_workers=4',
        'reward_model.enable=True',
        'reward_model.model.path=/rm',
        'reward_model.rollout.name=vllm',
        'reward_model.rollout.gpu_memory_utilization=0.7',
        '+reward_model.reward_kwargs.max_resp_len=512',
        '+reward_model.reward_kwargs.overlong_buffer_cfg.enable=True',
        '+reward_model.overlong_buffer.len=64',
      ),
    );
    expect(rl).toMatchObject({
      options: {
        'reward.reward_manager.name': 'dapo',
        'reward.num_workers': 4,
        'reward.reward_model.enable': true,
        'reward.reward_model.model_path': '/rm',
        'reward.reward_model.rollout.name': 'vllm',
        'reward.reward_model.rollout.gpu_memory_utilization': 0.7,
        '+reward.reward_kwargs.max_resp_len': 512,
        '+reward.reward_kwargs.overlong_buffer_cfg.enable': true,
        '+reward.reward_kwargs.overlong_buffer_cfg.len': 64,
      },
    });
    expect(said.every((each) => each.startsWith('renamed '))).toBe(true);
    expect(said).toHaveLength(9);
  });

  it('for which nothing took the place are gone, not renamed', () => {
    const { rl, left } = imported(
      main('algorithm.filter_groups.max_num_gen_batches=10', 'reward_model.model.external_lib=x'),
    );
    expect(rl).not.toHaveProperty('options');
    expect(left.map(({ code, option }) => `${code} ${option}`)).toEqual([
      'gone algorithm.filter_groups.max_num_gen_batches',
      'gone reward_model.model.external_lib',
    ]);
    expect(left[0]?.message).toContain('without a bound on tries');
  });

  it('make a launch DAPO', () => {
    const { rl } = imported(
      main(
        'reward_model.reward_manager=dapo',
        '+reward_model.reward_kwargs.max_resp_len=512',
        '+reward_model.reward_kwargs.overlong_buffer_cfg.enable=True',
        '+reward_model.reward_kwargs.overlong_buffer_cfg.len=64',
        'algorithm.filter_groups.enable=True',
        'actor_rollout_ref.actor.clip_ratio_high=0.3',
      ),
    );
    expect(rl).toMatchObject({ algorithm: 'dapo', overlong: { buffer: 64, penalty: 1 } });
  });
});

describe('what a launch leaves to verl', () => {
  const left = (...more: string[]) => {
    const { launches } = importScript(main(...more), { file: 'run.sh' });
    return importStudy(launches, 'study').left.map(
      ({ code, option, message }) => `${code} ${option}: ${message}`,
    );
  };

  it('and this program does otherwise is said', () => {
    expect(left().join('\n')).toMatch(
      /her-sets trainer\.logger: .*wandb.*her-sets data\.seed: .* gives none/s,
    );
    expect(left('data.seed=7').join('\n')).toContain('7 is the root seed');
  });

  it('it goes on doing: rows are scored before the first step', () => {
    const { rl } = imported(main('data.val_files=/d/val.parquet'));
    expect(rl).toMatchObject({ options: { 'trainer.val_before_train': true } });
    expect(
      imported(main('data.val_files=/d/val.parquet', 'trainer.val_before_train=False')).rl,
    ).not.toHaveProperty('options');
  });

  it('steps and epochs together are told with both numbers', () => {
    const { rl, left: found } = imported(main('trainer.total_training_steps=200', 'trainer.total_epochs=3'));
    expect(rl).toMatchObject({ steps: 200 });
    expect(found).toMatchObject([{ code: 'chosen', option: 'trainer.total_epochs' }]);
    expect(found[0]?.message).toMatch(/200 steps or after 3 epochs/);
    const ofVerl = imported(main('trainer.total_training_steps=200')).left;
    expect(ofVerl[0]?.message).toMatch(/30 epochs \(verl's own\)/);
    expect(imported(main('trainer.total_training_steps=2', 'trainer.total_epochs=3')).left).toEqual([]);
  });

  it('is not what its launcher or its cards ask for', () => {
    const launch = main(
      'ray_kwargs.ray_init.runtime_env.py_executable="uv run"',
      'trainer.device=npu',
    ).replace('python3', 'uv run python3');
    const { rl, said } = imported(`export HCCL_CONNECT_TIMEOUT=1\n${launch}`);
    expect(rl).not.toHaveProperty('options');
    expect(rl).not.toHaveProperty('env');
    expect(said).toEqual([
      'not-carried HCCL_CONNECT_TIMEOUT',
      'not-carried trainer.device',
      'her-sets ray_kwargs.ray_init.runtime_env.py_executable',
    ]);
  });
});
