import { describe, expect, it } from 'vitest';
import { importScript } from '../index.ts';
import { withLauncherFile } from '../launcher-file.ts';
import { importStudy } from './import-study.ts';

const sft =
  'swift/cli/sft.py --model Qwen/Qwen3-8B --dataset a.jsonl --max_length 512 --strict true --seed 1';
const rest = '--per_device_train_batch_size 1 --gradient_accumulation_steps 4 --save_total_limit 2';

/** What a launch comes to: nodes, GPUs, the global batch, how it is spread, and what is noted of it. */
function machine(launch: string, file?: string) {
  const [found] = importScript(`${launch} ${sft} ${rest}\n`, { file: 'run.sh' }).launches;
  if (found === undefined) throw new TypeError('no launch');
  const { study, left } = importStudy([file === undefined ? found : withLauncherFile(found, file)], 'study');
  const target = study['target'] as { hosts: string[]; gpus: { per_node: number } };
  const stage = (study['stages'] as Record<string, Record<string, unknown>>)['sft'] ?? {};
  return {
    nodes: target.hosts.length,
    gpus: target.gpus.per_node,
    global: (stage['batch'] as { global: number }).global,
    parallel: stage['parallel'],
    said: left
      .filter(({ option }) => !/^(seed|report_to|logging_steps|target|--seed)$/.test(option))
      .map(({ line, code, option }) => `${line} ${code} ${option}`),
  };
}

describe('the GPUs of a launcher', () => {
  it.each([
    ['torchrun --nproc_per_node=8 --nnodes=2:2', 2, 8],
    ['deepspeed --num_gpus=4 --num_nodes 2', 2, 4],
    ['accelerate launch --num_processes 16 --num_machines 2 --multi_gpu', 2, 8],
    ['accelerate launch --num_processes 4', 1, 4],
  ])('%s', (launch, nodes, gpus) => {
    expect(machine(launch)).toMatchObject({ nodes, gpus, global: 4 * nodes * gpus });
  });

  it('that are not known are noted by line, and never one in silence', () => {
    expect(machine('accelerate launch').said).toEqual(['1 unknown-value accelerate']);
    expect(machine('deepspeed').said).toEqual(['1 unknown-value deepspeed']);
    expect(machine('torchrun --nproc_per_node=auto').said).toEqual(['1 unknown-value NPROC_PER_NODE']);
    expect(machine('torchrun $ARGS').said).toEqual(['1 unknown-value torchrun']);
    expect(machine('accelerate launch --num_processes 3 --num_machines 2').said).toContain(
      '1 unknown-value --num_processes',
    );
    expect(machine('accelerate launch --config_file a.yaml').said).toContain('1 unknown-value --config_file');
  });

  it('that it is to find itself are those that the script shows it', () => {
    const shown = machine('CUDA_VISIBLE_DEVICES=0,1,2,3 accelerate launch');
    expect(shown).toMatchObject({ gpus: 4, global: 16, said: ['1 chosen accelerate'] });
  });

  it('of which one process holds several are counted, and the batch stays', () => {
    const one = machine('CUDA_VISIBLE_DEVICES=0,1 python');
    expect(one).toMatchObject({ gpus: 2, global: 4, said: ['1 chosen CUDA_VISIBLE_DEVICES'] });
    const two = machine('CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node 2');
    expect(two).toMatchObject({ gpus: 4, global: 8, said: ['1 chosen CUDA_VISIBLE_DEVICES'] });
  });
});

describe("the file of accelerate's launcher", () => {
  const launch = 'accelerate launch --config_file a.yaml';

  it('says how many processes, and FSDP 2', () => {
    const file = `distributed_type: FSDP
num_machines: 2
num_processes: 8
fsdp_config:
  fsdp_version: 2
  fsdp_reshard_after_forward: true
`;
    expect(machine(launch, file)).toEqual({
      nodes: 2,
      gpus: 4,
      global: 32,
      parallel: { sharding: 'fsdp2' },
      said: [],
    });
    const other = machine(launch, file.replace('forward: true', 'forward: false'));
    expect(other.said).toEqual(['1 not-carried fsdp_config']);
  });

  it('with FSDP 1 is not carried over', () => {
    const found = machine(launch, 'distributed_type: FSDP\nnum_processes: 2\n');
    expect(found).toMatchObject({ gpus: 2, parallel: undefined, said: ['1 not-carried fsdp_version'] });
  });

  it('with DeepSpeed is one of its stages', () => {
    const file = `distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config: { zero_stage: 3, offload_optimizer_device: cpu, offload_param_device: cpu }
`;
    expect(machine(launch, file)).toMatchObject({
      gpus: 8,
      parallel: { sharding: 'zero3', offload: 'all' },
      said: [],
    });
    const ofItsOwn =
      'distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config: { deepspeed_config_file: d.json }\n';
    expect(machine(launch, ofItsOwn).said).toEqual(['1 not-carried deepspeed_config']);
  });

  it("gives way to the launcher's own words", () => {
    const file = 'distributed_type: MULTI_GPU\nnum_processes: 8\n';
    expect(machine(`${launch} --num_processes 2`, file)).toMatchObject({ gpus: 2, said: [] });
    const flags = 'accelerate launch --num_processes 2 --use_deepspeed --zero_stage 3';
    expect(machine(flags)).toMatchObject({ parallel: { sharding: 'zero3' }, said: [] });
  });
});

it("DeepSpeed's list of hosts says nodes and GPUs", () => {
  const launch = 'deepspeed --hostfile hosts';
  expect(machine(launch, 'a slots=8\n# b slots=8\nc slots=8\n')).toMatchObject({
    nodes: 2,
    gpus: 8,
    said: [],
  });
  expect(machine(launch, 'a slots=8\nc slots=4\n').said).toContain('1 unknown-value NPROC_PER_NODE');
});
