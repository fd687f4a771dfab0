import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStudy } from '../../load/load.ts';
import { importConfig, importScript } from '../index.ts';
import { importStudy, withConfig } from './import-study.ts';
import { importedText } from './write-study.ts';

/** The study of a script, and what was left out as `line code option`. */
function imported(script: string) {
  const { launches } = importScript(script, { file: 'run.sh' });
  const made = importStudy(launches, 'study');
  return { ...made, left: made.left.map(({ line, code, option }) => `${line} ${code} ${option}`) };
}

function problemsOf(study: unknown): string[] {
  try {
    loadStudy(JSON.stringify(study), 'study.yaml', { exists: () => true });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

describe('a launch of ms-swift', () => {
  const script = `NPROC_PER_NODE=4 \\
swift sft \\
  --model Qwen/Qwen3-8B \\
  --train_type full \\
  --dataset ./a.jsonl 'AI/alpaca#500' \\
  --deepspeed zero2_offload \\
  --per-device-train-batch-size 2 \\
  --learning_rate 1e-5 \\
  --output_dir out \\
  --save_only_model true \\
  --ui_language en
`;
  const { study, left } = imported(script);

  it('becomes a stage in the words of a study, the rest under its own names', () => {
    expect(study['stages']).toEqual({
      sft: {
        kind: 'sft',
        model: 'start',
        data: ['train', 'train-2'],
        epochs: 3,
        batch: { global: 16, per_device: 2 },
        max_length: 8192,
        overlong: 'error',
        parallel: { sharding: 'zero2', offload: 'all' },
        save_every: 500,
        keep: 2,
        resumable: false,
        loss: 'default',
        options: { learning_rate: 0.00001 },
      },
    });
    expect(study['models']).toEqual({
      start: { hub: 'Qwen/Qwen3-8B', type: 'qwen3', template: 'qwen3' },
    });
    expect(study['data']).toEqual({ train: { path: './a.jsonl' }, 'train-2': { hub: 'AI/alpaca#500' } });
    expect(problemsOf(study)).toEqual([]);
  });

  it('says by line what is renamed, gone, chosen and set by this program', () => {
    expect(left).toEqual([
      '0 chosen save_total_limit',
      '0 chosen target',
      '2 her-sets seed',
      '2 her-sets report_to',
      '2 her-sets logging_steps',
      '2 chosen max_length',
      '2 chosen truncation_strategy',
      '4 renamed --train_type',
      '9 her-sets --output_dir',
      '11 gone --ui_language',
    ]);
  });

  it('writes the batch that ms-swift would choose by the number of GPUs', () => {
    const batch = (line: string) =>
      imported(`${line} --model Qwen/Qwen3-8B --dataset a.jsonl\n`).study['stages'];
    expect(batch('NPROC_PER_NODE=8 swift sft')).toMatchObject({
      sft: { batch: { global: 16, per_device: 1 } },
    });
    expect(batch('swift sft --per_device_train_batch_size 3')).toMatchObject({
      sft: { batch: { global: 18, per_device: 3 } },
    });
  });

  it("keeps ms-swift's own default where this program's is another: a launch without a tuner is LoRA", () => {
    const { study: silent } = imported('swift sft --model Qwen/Qwen3-8B --dataset a.jsonl\n');
    expect(silent['stages']).toMatchObject({ sft: { options: { tuner_type: 'lora' } } });
  });

  it('takes the options of its config file, its own flags first', () => {
    const [launch] = importScript('swift rlhf dpo.yaml --beta 0.2\n', { file: 'run.sh' }).launches;
    const text = 'rlhf_type: dpo\nmodel: Qwen/Qwen3-8B\ndataset: a.jsonl\nbeta: 0.1\nmax_length: 512\n';
    const [config] = importConfig(text, { file: 'dpo.yaml', trainer: 'ms-swift' }).launches;
    if (launch === undefined || config === undefined) throw new TypeError('no launch');
    const { study: made } = importStudy([withConfig(launch, config)], 'study');
    expect(made['stages']).toMatchObject({
      rlhf: { method: 'dpo', max_length: 512, options: { beta: 0.2, tuner_type: 'lora' } },
    });
  });

  it('never holds a secret of the environment', () => {
    const { study: made, left: out } = imported(
      'WANDB_API_KEY=abc123 NCCL_DEBUG=INFO swift sft --model Qwen/Qwen3-8B --dataset a.jsonl\n',
    );
    expect(JSON.stringify(made)).not.toContain('abc123');
    expect(JSON.stringify(out)).not.toContain('abc123');
    expect(made['stages']).toMatchObject({ sft: { env: { NCCL_DEBUG: 'INFO' } } });
    expect(out).toContain('1 secret WANDB_API_KEY');
  });
});

describe('a launch of verl', () => {
  const dapo = `set -x
python3 -m verl.trainer.main_ppo \\
  algorithm.adv_estimator=grpo \\
  algorithm.filter_groups.enable=True algorithm.filter_groups.metric=acc \\
  algorithm.filter_groups.max_num_gen_batches=10 \\
  data.train_files=/d/train.parquet data.val_files=/d/test.parquet \\
  data.train_batch_size=64 data.max_prompt_length=512 data.max_response_length=1024 \\
  actor_rollout_ref.model.path=/m \\
  actor_rollout_ref.actor.clip_ratio_low=0.2 actor_rollout_ref.actor.clip_ratio_high=0.3 \\
  actor_rollout_ref.actor.ppo_mini_batch_size=32 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \\
  actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 \\
  reward.reward_manager.name=dapo +reward.reward_kwargs.max_resp_len=1024 \\
  +reward.reward_kwargs.overlong_buffer_cfg.enable=True +reward.reward_kwargs.overlong_buffer_cfg.len=128 \\
  custom_reward_function.path=/code/r.py custom_reward_function.name=score \\
  trainer.nnodes=2 trainer.total_epochs=3 ~trainer.balance_batch
`;
  const { study, left } = imported(dapo);

  it('that samples dynamically, clips asymmetrically and punishes long replies is DAPO', () => {
    expect(study['stages']).toEqual({
      rl: {
        kind: 'rl',
        algorithm: 'dapo',
        engine: 'fsdp',
        model: 'start',
        prompts: 'prompts',
        validation: 'validation',
        reward: { file: '/code/r.py:score' },
        epochs: 3,
        batch: { prompts: 64, samples: 8, mini: 32, micro_per_device: 2 },
        length: { prompt: 512, response: 1024 },
        overlong: { buffer: 128, penalty: 1 },
        filter: { metric: 'acc', inflight: 1 },
        parallel: { rollout_tensor: 2 },
        save_every: 20,
        options: {
          'actor_rollout_ref.actor.clip_ratio_c': 3,
          'actor_rollout_ref.actor.clip_ratio_high': 0.3,
          'trainer.val_before_train': true,
        },
      },
    });
    expect(problemsOf(study)).toEqual([]);
  });

  it('says what the pinned version ignores, what took its place, and what a study cannot say', () => {
    expect(left).toEqual([
      '0 chosen target',
      '2 her-sets trainer.logger',
      '2 her-sets data.seed',
      '2 chosen trainer.save_freq',
      '5 gone algorithm.filter_groups.max_num_gen_batches',
      '14 renamed custom_reward_function.path',
      '14 renamed custom_reward_function.name',
      '15 not-carried ~trainer.balance_batch',
    ]);
  });

  it('with a symmetric clip stays GRPO, its sampling under options', () => {
    const { study: made } = imported(dapo.replace('clip_ratio_high=0.3', 'clip_ratio_high=0.2'));
    expect(made['stages']).toMatchObject({
      rl: { algorithm: 'grpo', options: { 'algorithm.filter_groups.enable': true } },
    });
  });

  it('over Megatron is known by its config group, or by the name of its config', () => {
    const megatron = (words: string) =>
      imported(
        `python -m verl.trainer.main_ppo ${words} algorithm.adv_estimator=grpo actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4 data.train_files=a actor_rollout_ref.model.path=/m\n`,
      ).study['stages'];
    for (const words of ['model_engine=megatron', '--config-name=ppo_megatron_trainer'])
      expect(megatron(words)).toMatchObject({ rl: { engine: 'megatron', parallel: { tensor: 4 } } });
  });
});

describe('several launches', () => {
  it('are stages of one study, each with its own model and data', () => {
    const { study, stages } = imported(
      'swift sft --model Qwen/Qwen3-8B --dataset a.jsonl\nswift sft --model Qwen/Qwen3-4B --dataset b.jsonl\n',
    );
    expect(stages).toEqual(['sft', 'sft-2']);
    expect(study['models']).toMatchObject({
      start: { hub: 'Qwen/Qwen3-8B' },
      'start-of-2': { hub: 'Qwen/Qwen3-4B' },
    });
    expect(problemsOf(study)).toEqual([]);
  });

  it('of which one is no stage of a study: it is listed', () => {
    const { stages, left } = imported(
      'swift pt --model Qwen/Qwen3-8B --dataset a.jsonl\nswift sft --model Qwen/Qwen3-8B --dataset a.jsonl\n',
    );
    expect(stages).toEqual(['sft']);
    expect(left).toContain('1 not-carried pt');
  });
});

it('the text of a study keeps every character and prints none that steers a terminal', () => {
  const names = ['a\u001b[2J', 'b\u009b\u202e', 'c\td\ne', 'f\u{e0001}'];
  const { study } = imported('swift sft --model m --dataset ./a.jsonl');
  const text = importedText({ study: { ...study, about: names } }, ['x\u001b[2J\n.sh']);
  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  expect(parse(text).about).toEqual(names);
});
