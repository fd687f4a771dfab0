import type { ModelShape } from '../estimate/model-shape.ts';
import type { Optimizer } from '../estimate/optimizers.ts';
import type { Sharding, TrainingJob, Tuning } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import { accumulation } from '../stages/swift/study-words.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { worldSize } from '../study/target-schema.ts';
import type { Method } from './swift-method.ts';
import type { Spread } from './swift-sharding.ts';

type Context = RuleContext<SwiftStage>;

/** What of a job is worked out elsewhere, each for itself: a figure that does not need one is known without it. */
export type SwiftParts = {
  spread: Spread;
  tuning: Tuning;
  optimizer: Optimizer;
  method: Method;
  longest: number;
};

/** An ms-swift job as the estimator sees it, from the settings that the trainer will have. */
export function swiftTrainingJob(
  ruled: Context,
  shape: ModelShape,
  { spread, tuning, optimizer, method, longest }: SwiftParts,
  env: Record<string, string>,
): TrainingJob {
  const { stage, get, context } = ruled;
  const { machine } = context;
  const { sharding, offload } = spread;
  const precision = swiftPrecision(ruled, sharding);
  return {
    shape,
    gpus: worldSize(machine),
    gpusPerNode: machine.gpusPerNode,
    ...{ sharding, offload, precision, tuning, optimizer },
    microBatch: stage.batch.per_device * method.sequences,
    sequenceLength: longest,
    sequenceParallel: sharding.kind === 'megatron' ? 1 : stage.parallel.sequence,
    accumulation: accumulation(stage, machine),
    checkpointing: recomputes(ruled),
    attention: get('attn_impl') === 'eager' ? 'eager' : 'flash',
    fusedLoss: fusesLoss(ruled),
    fusable: stage.kind === 'sft',
    adam: String(get('optim')).endsWith('_fused') ? 'fused' : 'foreach',
    ...(method.reference ? { reference: { bytesPerParameter: precision === 'fp32' ? 4 : 2 } } : {}),
    ...(method.valueHead ? { valueHead: true } : {}),
    expandableSegments: (env['PYTORCH_CUDA_ALLOC_CONF'] ?? '').includes('expandable_segments:True'),
  };
}

/** Whether layers are computed again in the backward pass. */
export function recomputes({ stage, get }: Context): boolean {
  return isMegatron(swiftCommand(stage))
    ? get('recompute_granularity') === 'full'
    : get('gradient_checkpointing') !== false;
}

/** The losses of `rlhf` read the logits themselves; Megatron's fused loss is on unless switched off. */
function fusesLoss({ stage, get }: Context): boolean {
  if (stage.kind === 'rlhf') return false;
  return isMegatron(swiftCommand(stage))
    ? get('cross_entropy_loss_fusion') !== false
    : get('use_liger_kernel') === true;
}

/** DeepSpeed and Megatron keep a 32-bit copy; without them weights that were read in 16 bits are trained in 16. */
function swiftPrecision({ get }: Context, sharding: Sharding): TrainingJob['precision'] {
  const own = sharding.kind.startsWith('zero') || sharding.kind === 'megatron';
  if (get('torch_dtype') === 'float32')
    return get('bf16') === true || get('fp16') === true ? 'bf16-mixed' : 'fp32';
  return own ? 'bf16-mixed' : 'bf16-pure';
}
