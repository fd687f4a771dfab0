import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importConfig, importScript } from '../index.ts';
import { importStudy } from './import-study.ts';

const swift = 'swift sft --model Qwen/Qwen3-8B --dataset a.jsonl';
const verl = 'python3 -m verl.trainer.main_ppo data.train_files=a.parquet actor_rollout_ref.model.path=/m';

function imported(script: string) {
  const { study, left } = importStudy(importScript(script, { file: 'run.sh' }).launches, 'study');
  return {
    study,
    left: left.map(({ code, option }) => `${code} ${option}`),
    text: JSON.stringify({ study, left }),
  };
}

it.each([
  ['NNODES', `NNODES=99999999999 ${swift}`, 1, 1],
  ['NNODES', `NNODES=0 ${swift}`, 1, 1],
  ['NPROC_PER_NODE', `NPROC_PER_NODE=99999999999999999999999 ${swift}`, 1, 1],
  ['trainer.nnodes', `${verl} trainer.nnodes=1e21`, 1, 8],
  ['trainer.nnodes', `${verl} trainer.nnodes=99999999999 trainer.n_gpus_per_node=4`, 1, 4],
  ['trainer.n_gpus_per_node', `${verl} trainer.nnodes=2 trainer.n_gpus_per_node=0`, 2, 8],
])('%s that nobody has is left over: %s', (option, script, nodes, gpus) => {
  const { study, left } = imported(script);
  expect(left.filter((one) => one.endsWith(` ${option}`)).join()).toMatch(/^(unknown|wrong)-value/);
  expect(study['target']).toMatchObject({ hosts: { length: nodes }, gpus: { per_node: gpus } });
});

it('no number of a launch makes a study of endless length, or a number that is none', () => {
  const number = fc.oneof(
    fc.constantFrom('0', '-1', '1e308', '1e21', '999999999999999999999', '0.5', '4096', '4097', ''),
    fc.integer().map(String),
  );
  const names = ['trainer.nnodes', 'trainer.n_gpus_per_node', 'data.train_batch_size', 'trainer.save_freq'];
  const served = 'reward.reward_model';
  fc.assert(
    fc.property(number, number, number, (a, b, c) => {
      const flags = `--per_device_train_batch_size '${c}' --max_steps '${a}' --save_steps '${b}'`;
      const own = `${served}.enable=True ${served}.enable_resource_pool=True ${served}.nnodes='${b}'`;
      for (const script of [
        `NNODES='${a}' NPROC_PER_NODE='${b}' CUDA_VISIBLE_DEVICES='' ${swift} ${flags}`,
        `NNODES='${a}' NPROC_PER_NODE='${b}' ${swift} --sequence_parallel_size '${c}'`,
        `${verl} ${own} ${names.map((name, i) => `${name}=${[a, b, c, a][i]}`).join(' ')}`,
      ]) {
        const { text } = imported(script);
        expect(text.length).toBeLessThan(200_000);
        // JSON has no other way to write what is no number.
        expect(text, script).not.toMatch(/"(global|per_device|epochs|steps|save_every)":null/);
      }
    }),
    { numRuns: 60 },
  );
});

it.each([
  `${swift} --hub_token s3cret --push_to_hub true`,
  `${swift} --swanlab_token s3cret --swanlab_secret s3cret`,
  `${swift} --wandb_api_key=s3cret`,
  `${swift} --swanlab_webhook_url https://hooks/s3cret`,
  `${swift} --model_kwargs '{"api_key": "s3cret"}'`,
  `${verl} +trainer.wandb_api_key=s3cret`,
  `${verl} +ray_kwargs.ray_init.runtime_env.env_vars.HF_TOKEN=s3cret`,
  `${verl} '+ray_kwargs.ray_init={_redis_password:s3cret}'`,
  `wandb_api_key=s3cret MY_PASSWORD=s3cret ${swift}`,
])('no secret is carried: %s', (script) => {
  const { left, text } = imported(script);
  expect(text).not.toContain('s3cret');
  expect(left.some((one) => one.startsWith('secret '))).toBe(true);
});

it('no secret of a config file is carried, and what only sounds like one is', () => {
  const config = 'model: Qwen/Qwen3-8B\ndataset: a.jsonl\nhub_token: s3cret\nnew_special_tokens: [a]\n';
  const { launches } = importConfig(config, { file: 'sft.yaml', trainer: 'ms-swift', command: 'sft' });
  const text = JSON.stringify(importStudy(launches, 'study'));
  expect(text).not.toContain('s3cret');
  expect(text).toContain('"new_special_tokens":["a"]');
});

it.each(['LD_PRELOAD', 'PYTHONPATH', 'PATH', 'HOME', 'LD_LIBRARY_PATH'])(
  '%s of the machine of a script is not carried',
  (name) => {
    const { study, left } = imported(`export ${name}=/opt/mine\nNCCL_DEBUG=INFO ${swift}`);
    expect(left).toContain(`not-carried ${name}`);
    expect(study['stages']).toMatchObject({ sft: { env: { NCCL_DEBUG: 'INFO' } } });
    expect(JSON.stringify(study)).not.toContain('/opt/mine');
  },
);

it('a command beside the launch is told of without the secret that it gives away', () => {
  const script = `wandb login s3cret\nhuggingface-cli login --token s3cret\nmytool --api-key s3cret --x 1\n${swift}\n--hub_token s3cret\n`;
  const { notes, launches } = importScript(script, { file: 'run.sh' });
  const told = JSON.stringify([notes, launches.flatMap((launch) => launch.notes)]);
  expect(told).not.toContain('s3cret');
  expect(told).toContain('`wandb login …`');
  expect(told).toContain('`mytool --api-key … --x 1`');
});
