// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are shell.
import { describe, expect, it } from 'vitest';
import { importScript } from '../index.ts';
import { importStudy } from './import-study.ts';

const model = '--model Qwen/Qwen3-8B';

function imported(words: string, command = 'swift sft') {
  const { launches } = importScript(`${command} ${words}\n`, { file: 'run.sh' });
  const { study, left } = importStudy(launches, 'study');
  const [stage = {}] = Object.values(study['stages'] as Record<string, Record<string, unknown>>);
  return {
    study,
    stage,
    options: (stage['options'] ?? {}) as Record<string, unknown>,
    left,
    said: left.map(({ code, option }) => `${code} ${option}`),
  };
}

const data = `${model} --dataset a.jsonl --tuner_type full`;

describe('when a launch evaluates', () => {
  it('is what ms-swift does by default where it has rows for it', () => {
    expect(imported(data).options).toEqual({});
    expect(imported(`${data} --split_dataset_ratio 0.01`).options).toEqual({
      split_dataset_ratio: 0.01,
      eval_strategy: 'steps',
    });
    expect(imported(`${data} --split_dataset_ratio 0.01 --save_strategy epoch`).options).toMatchObject({
      eval_strategy: 'epoch',
    });
    expect(imported(`${data} --val_dataset b.jsonl`).options).toEqual({});
    expect(imported(`${data} --val_dataset b.jsonl --eval_strategy no`).options).toEqual({
      eval_strategy: 'no',
    });
  });

  it('is never where ms-swift itself turns it off', () => {
    for (const words of ['--eval_strategy no', '--streaming true']) {
      const { options, said } = imported(`${data} --split_dataset_ratio 0.01 ${words}`);
      expect(options).not.toHaveProperty('eval_strategy');
      expect(options).not.toHaveProperty('split_dataset_ratio');
      expect(said).toContain('her-sets split_dataset_ratio');
    }
  });
});

describe('what a launch leaves to ms-swift and this program does otherwise', () => {
  it('is said, and kept where the launch says it', () => {
    expect(imported(data).said).toEqual(
      expect.arrayContaining(['her-sets report_to', 'her-sets logging_steps']),
    );
    const { said, options } = imported(`${data} --logging_steps 5 --report_to swanlab`);
    expect(said.join()).not.toMatch(/report_to|logging_steps/);
    expect(options).toEqual({ logging_steps: 5, report_to: ['swanlab'] });
  });

  it('are the seeds', () => {
    const messages = (words: string) =>
      imported(`${data} ${words}`)
        .left.filter(({ option }) => option.endsWith('seed'))
        .map(({ message }) => message);
    expect(messages('')).toEqual([expect.stringMatching(/gives no seed, and ms-swift's own is 42/)]);
    expect(messages('--seed 7 --data_seed 7')).toHaveLength(1);
    expect(messages('--seed 7 --data_seed 77')).toEqual([
      expect.stringMatching(/^7 is the root seed/),
      expect.stringMatching(/^77 is not kept/),
    ]);
  });

  it('is not how GRPO cuts a prompt', () => {
    const rlhf = (words: string) => imported(`${data} ${words}`, 'swift rlhf').stage;
    expect(rlhf('--rlhf_type grpo --reward_funcs format')).toMatchObject({ overlong: 'left' });
    expect(rlhf('--rlhf_type grpo --reward_funcs format --truncation_strategy delete')).toMatchObject({
      overlong: 'error',
    });
    expect(rlhf('--rlhf_type dpo')).toMatchObject({ overlong: 'error', loss: 'last_round' });
    expect(rlhf('--rlhf_type orpo')).toMatchObject({ loss: 'default' });
  });

  it('is the server that samples for it', () => {
    const { said } = imported(`${data} --rlhf_type grpo --use_vllm true --vllm_mode server`, 'swift rlhf');
    expect(said).toContain('not-carried vllm_mode');
  });

  it('is how many checkpoints stay, where it keeps all or one', () => {
    const about = (words: string) =>
      imported(`${data} \\\n${words}`).left.filter(({ option }) => option === 'save_total_limit');
    expect(about('--save_total_limit 3')).toEqual([]);
    expect(about('--save_total_limit -1')).toMatchObject([
      { line: 2, message: expect.stringMatching(/keeps all/) },
    ]);
    expect(about('--save_total_limit 1')).toMatchObject([
      { line: 2, message: expect.stringMatching(/torn save/) },
    ]);
  });

  it('is the kind of card', () => {
    const { said, stage } = imported(data, 'ASCEND_RT_VISIBLE_DEVICES=0 HCCL_EXEC_TIMEOUT=9 swift sft');
    expect(said.filter((each) => each.startsWith('not-carried'))).toEqual([
      'not-carried ASCEND_RT_VISIBLE_DEVICES',
    ]);
    expect(stage).not.toHaveProperty('env');
  });
});

describe('what only running tells', () => {
  it('stays in a path, is left out of options, and is listed', () => {
    const { study, options, left } = imported(
      '--model $HOME/m --model_type qwen3 --template qwen3 --dataset a.jsonl --adapters $CKPT/x --tuner_type full',
    );
    expect(study['models']).toMatchObject({ start: { path: '$HOME/m' } });
    expect(options).toEqual({});
    expect(left.filter(({ code }) => code === 'unknown-value')).toMatchObject([
      { option: '--model', hint: 'Give `--set HOME=…`.' },
      { option: '--adapters', hint: 'Give `--set CKPT=…`.' },
    ]);
  });

  it('is not a word that a loop gathers', () => {
    const script = 'for i in 1 2; do DS="$DS /d/$i.jsonl"; done\n';
    const { launches, notes } = importScript(`${script}swift sft ${model} --dataset $DS\n`, {
      file: 'run.sh',
    });
    const { study } = importStudy(launches, 'study');
    expect(study['data']).toEqual({ train: { path: '/d/1.jsonl' }, 'train-2': { path: '/d/2.jsonl' } });
    expect(notes).toMatchObject([{ line: 1, code: 'decided', hint: 'Give `--set DS=…` if it does not.' }]);
    const path = importScript('PATH="$PATH:/x" swift sft --a $PATH\n', { file: 'run.sh' }).launches[0];
    expect(path?.env['PATH']?.value).toBe('${PATH}:/x');
  });
});
