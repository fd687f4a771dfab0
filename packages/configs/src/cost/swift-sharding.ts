import type { Sharding, TrainingJob } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { type Known, known, unknown } from './job-cost.ts';

/** How states are spread, and what of them lives on the host. */
export type Spread = { sharding: Sharding; offload: TrainingJob['offload'] };

/** How an ms-swift job spreads its states, where the study says it. */
export function swiftSharding({ stage, get }: RuleContext<SwiftStage>): Known<Spread> {
  if (isMegatron(swiftCommand(stage))) {
    const { tensor: tp, pipeline: pp, context: cp } = stage.parallel;
    const sharding: Sharding = {
      kind: 'megatron',
      ...{ tp, pp, cp, ep: Number(get('expert_model_parallel_size') ?? 1) },
      sequenceParallel: get('sequence_parallel') === true,
      distributedOptimizer: get('use_distributed_optimizer') !== false,
    };
    return known({ sharding, offload: get('optimizer_cpu_offload') === true ? 'optimizer' : 'none' });
  }
  for (const option of ['deepspeed_autotp_size', 'zero_hpz_partition_size'])
    if (get(option) != null) return unknown(`\`${option}\` is not modelled`);
  const written = get('deepspeed');
  if (written == null || written === '') {
    const kind = get('fsdp') == null ? 'ddp' : 'fsdp2';
    return get('fsdp') == null || get('fsdp') === 'fsdp2'
      ? known({ sharding: { kind }, offload: 'none' })
      : unknown('what the `fsdp` file says is not read');
  }
  return deepspeed(written);
}

/** A preset, a mapping, JSON, or a file that nobody has read. */
function deepspeed(written: unknown): Known<Spread> {
  const text = textOf(written).trim();
  const preset = /^zero([123])(_offload)?$/.exec(text);
  if (preset !== null) {
    const kind = `zero${preset[1]}` as 'zero1' | 'zero2' | 'zero3';
    // Under ZeRO-2 the weights stay whole on every GPU.
    const offload = preset[2] === undefined ? 'none' : kind === 'zero3' ? 'all' : 'optimizer';
    return known({ sharding: { kind }, offload });
  }
  if (text === 'zero0') return unknown('DeepSpeed without ZeRO is not modelled');
  const mapping = isRecord(written) ? written : text.startsWith('{') ? parsed(text) : undefined;
  return mapping === undefined ? unknown('what the `deepspeed` file says is not read') : fromMapping(mapping);
}

function fromMapping(mapping: Record<string, unknown>): Known<Spread> {
  const zero = isRecord(mapping['zero_optimization']) ? mapping['zero_optimization'] : {};
  const stage = Number(zero['stage'] ?? 0);
  if (![1, 2, 3].includes(stage)) return unknown('DeepSpeed without ZeRO is not modelled');
  for (const part of ['zero_hpz_partition_size', 'mics_shard_size'])
    if (Number(zero[part] ?? 1) > 1) return unknown(`DeepSpeed's \`${part}\` is not modelled`);
  const devices = ['offload_optimizer', 'offload_param'].map((name) => {
    const at = zero[name];
    return isRecord(at) ? String(at['device'] ?? 'none') : 'none';
  });
  if (devices.some((device) => device !== 'none' && device !== 'cpu'))
    return unknown('states on a disk (nvme) are not modelled');
  const [optimizer, weights] = devices.map((device) => device === 'cpu');
  if (weights && !optimizer) return unknown('weights on the host without the optimizer are not modelled');
  const offload = weights && stage === 3 ? 'all' : optimizer ? 'optimizer' : 'none';
  return known({ sharding: { kind: `zero${stage}` as 'zero1' | 'zero2' | 'zero3' }, offload });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    // Not JSON: a path that begins with a brace, or a slip that the trainer will name.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
