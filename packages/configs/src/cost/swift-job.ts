import type { ModelShape } from '../estimate/model-shape.ts';
import type { Sharding, TrainingJob } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import { accumulation } from '../stages/swift/study-words.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { worldSize } from '../study/target-schema.ts';

type Context = RuleContext<SwiftStage>;

/** An ms-swift job as the estimator sees it, from the settings that the trainer will have. */
export function swiftTrainingJob(
  ruled: Context,
  shape: ModelShape,
  env: Record<string, string>,
): TrainingJob {
  const { stage, get, context } = ruled;
  const { machine } = context;
  const { sharding, offload } = shardingOf(ruled);
  return {
    shape,
    gpus: worldSize(machine),
    gpusPerNode: machine.gpusPerNode,
    sharding,
    offload,
    precision: precisionOf(ruled, sharding),
    tuning:
      get('tuner_type') === 'full'
        ? { kind: 'full' }
        : { kind: 'lora', rank: Number(get('lora_rank') ?? 8), targets: 'all-linear' },
    microBatch: stage.batch.per_device,
    sequenceLength: stage.max_length,
    sequenceParallel: sharding.kind === 'megatron' ? 1 : stage.parallel.sequence,
    accumulation: accumulation(stage, machine),
    checkpointing:
      sharding.kind === 'megatron'
        ? get('recompute_granularity') === 'full'
        : get('gradient_checkpointing') !== false,
    attention: get('attn_impl') === 'eager' ? 'eager' : 'flash',
    fusedLoss: get('use_liger_kernel') === true,
    adam: String(get('optim')).endsWith('_fused') ? 'fused' : 'foreach',
    expandableSegments: (env['PYTORCH_CUDA_ALLOC_CONF'] ?? '').includes('expandable_segments:True'),
  };
}

function shardingOf({ stage, get }: Context): { sharding: Sharding; offload: TrainingJob['offload'] } {
  if (isMegatron(swiftCommand(stage))) {
    const { tensor: tp, pipeline: pp, context: cp } = stage.parallel;
    const sharding: Sharding = {
      kind: 'megatron',
      ...{ tp, pp, cp },
      sequenceParallel: get('sequence_parallel') === true,
      distributedOptimizer: get('use_distributed_optimizer') !== false,
    };
    return { sharding, offload: get('optimizer_cpu_offload') === true ? 'optimizer' : 'none' };
  }
  const preset = /^zero([123])(_offload)?$/.exec(String(get('deepspeed')));
  if (preset !== null) {
    const kind = `zero${preset[1]}` as 'zero1' | 'zero2' | 'zero3';
    // Under ZeRO-2 the weights stay whole on every GPU.
    const offload = preset[2] === undefined ? 'none' : kind === 'zero3' ? 'all' : 'optimizer';
    return { sharding: { kind }, offload };
  }
  return { sharding: { kind: get('fsdp') === 'fsdp2' ? 'fsdp2' : 'ddp' }, offload: 'none' };
}

/** DeepSpeed and Megatron keep a 32-bit copy; without them weights that were read in 16 bits are trained in 16. */
function precisionOf({ get }: Context, sharding: Sharding): TrainingJob['precision'] {
  const own = sharding.kind.startsWith('zero') || sharding.kind === 'megatron';
  if (get('torch_dtype') === 'float32')
    return get('bf16') === true || get('fp16') === true ? 'bf16-mixed' : 'fp32';
  return own ? 'bf16-mixed' : 'bf16-pure';
}
