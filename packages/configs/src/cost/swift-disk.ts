import { countAdapterParameters } from '../estimate/adapter-size.ts';
import { type CheckpointKind, checkpointSize, peakDisk } from '../estimate/checkpoint-size.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { optimizerBytes } from '../estimate/model-states.ts';
import type { TrainingJob } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import type { Count, DiskCost } from './job-cost.ts';

/** What an ms-swift job keeps on disk. */
export function swiftDisk(ruled: RuleContext<SwiftStage>, job: TrainingJob, steps: Count): DiskCost {
  const { stage } = ruled;
  const checkpoint = checkpointSize(countParameters(job.shape).total, contentOf(ruled, job));
  const saves = {
    low: Math.ceil(steps.low / stage.save_every),
    high: Math.ceil(steps.high / stage.save_every),
  };
  return { checkpoint, saves, keep: stage.keep, peak: peakDisk(checkpoint, saves.high, stage.keep) };
}

function contentOf({ stage, get }: RuleContext<SwiftStage>, job: TrainingJob): CheckpointKind {
  const precision = job.precision === 'fp32' ? ('fp32' as const) : ('bf16' as const);
  const lora = job.tuning.kind === 'lora';
  const adapters = countAdapterParameters(job.shape, job.tuning);
  const deepspeed = job.sharding.kind.startsWith('zero');
  const copied = deepspeed || job.sharding.kind === 'megatron';
  const width = copied || lora || precision === 'fp32' ? 4 : 2;
  const states = optimizerBytes(job, width);
  if (job.sharding.kind === 'megatron')
    return {
      ...{ trainer: 'megatron', optimizer: stage.resumable, states },
      // Adapters are merged into the weights that are exported (`merge_lora`).
      safetensors: get('save_safetensors') !== false && (!lora || get('merge_lora') !== false),
      ...(lora ? { adapters } : {}),
    };
  if (lora) {
    const kept = deepspeed ? 4 + states : states;
    return { trainer: 'ms-swift', content: 'lora', optimizer: stage.resumable, adapters, states: kept };
  }
  if (stage.resumable) return { trainer: 'ms-swift', content: 'full', deepspeed, precision, states };
  return { trainer: 'ms-swift', content: 'weights', precision };
}
