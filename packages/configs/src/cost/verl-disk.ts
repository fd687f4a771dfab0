import { countAdapterParameters } from '../estimate/adapter-size.ts';
import {
  type CheckpointKind,
  type CheckpointSize,
  checkpointSize,
  peakDisk,
} from '../estimate/checkpoint-size.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { optimizerBytes } from '../estimate/model-states.ts';
import type { TrainingJob } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import type { Count, DiskCost } from './job-cost.ts';

type Context = RuleContext<StageOf<'rl'>>;

/** What a verl job keeps on disk: the policy's checkpoints, and beside each the critic's if one is trained. */
export function verlDisk(
  { stage, get }: Context,
  actor: TrainingJob,
  critic: TrainingJob | undefined,
  steps: Count,
): DiskCost {
  const policy = sizeOf(actor, kindOf(stage, actor));
  const saves = {
    low: Math.ceil(steps.low / stage.save_every),
    high: Math.ceil(steps.high / stage.save_every),
  };
  const keep = stage.keep ?? null;
  if (critic === undefined)
    return { checkpoint: policy, saves, keep, peak: peakDisk(policy, saves.high, stage.keep) };
  // verl counts the critic's checkpoints by themselves, and keeps all unless told otherwise.
  const own = sizeOf(critic, criticKind(stage, critic));
  const kept = get('trainer.max_critic_ckpt_to_keep');
  const peak =
    peakDisk(policy, saves.high, stage.keep) +
    peakDisk(own, saves.high, typeof kept === 'number' ? kept : undefined);
  const terms = [...policy.terms, ...own.terms.map((one) => ({ ...one, name: `critic ${one.name}` }))];
  return { checkpoint: { terms, total: policy.total + own.total }, saves, keep, peak };
}

const sizeOf = (job: TrainingJob, kind: CheckpointKind): CheckpointSize =>
  checkpointSize(countParameters(job.shape).total, kind);

const precisionOf = (job: TrainingJob): 'bf16' | 'fp32' => (job.precision === 'bf16-pure' ? 'bf16' : 'fp32');

function trained(job: TrainingJob): { adapters?: number; states: number } {
  const states = optimizerBytes(job, precisionOf(job) === 'fp32' ? 4 : 2);
  if (job.tuning.kind === 'full') return { states };
  return { adapters: countAdapterParameters(job.shape, job.tuning), states };
}

function kindOf(stage: StageOf<'rl'>, job: TrainingJob): CheckpointKind {
  if (stage.engine === 'megatron')
    return { trainer: 'megatron', optimizer: stage.resumable, safetensors: true, ...trained(job) };
  // Weights alone are as wide as they are trained.
  if (!stage.resumable) return { trainer: 'ms-swift', content: 'weights', precision: precisionOf(job) };
  return { trainer: 'verl-fsdp', precision: precisionOf(job), hfModel: true, ...trained(job) };
}

/** `critic.checkpoint.save_contents` has no Hugging Face weights by default. */
function criticKind(stage: StageOf<'rl'>, job: TrainingJob): CheckpointKind {
  if (stage.engine === 'megatron')
    return { trainer: 'megatron', optimizer: true, safetensors: false, ...trained(job) };
  return { trainer: 'verl-fsdp', precision: precisionOf(job), hfModel: false, ...trained(job) };
}
