import type { ModelShape } from '../estimate/model-shape.ts';
import type { Optimizer } from '../estimate/optimizers.ts';
import type { RlJob } from '../estimate/rl-job.ts';
import type { Sharding, TrainingJob, Tuning } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import { trainerNodes } from '../stages/rl/study-words.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { actorBranch, isNarrow } from './verl-tuning.ts';

type Context = RuleContext<StageOf<'rl'>>;

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';

/** A verl job as the estimator sees it, from the settings that the trainer will have. */
export function verlRlJob(
  ruled: Context,
  job: TrainingJob,
  reward: ModelShape | undefined,
  critic: RlJob['critic'],
): RlJob {
  const { stage, get } = ruled;
  const { parallel, length, reward: scored } = stage;
  const { gpus } = job;
  const rests = (part: string): boolean => get(`${actorBranch(stage).engine}.${part}_offload`) === true;
  return {
    actor: job,
    between: { weights: rests('param'), optimizer: rests('optimizer') },
    ...(critic === undefined ? {} : { critic }),
    reference: referenceOf(ruled, job.tuning),
    rollout: {
      tp: parallel.rollout_tensor,
      utilisation: Number(get(`${rollout}.gpu_memory_utilization`)),
      gpus,
      placement: 'colocated',
      sleeps: get(`${rollout}.free_cache_engine`) !== false,
    },
    ...(scored.serve === undefined || reward === undefined
      ? {}
      : {
          reward: {
            shape: reward,
            tp: scored.serve.tensor,
            utilisation: Number(get('reward.reward_model.rollout.gpu_memory_utilization') ?? 0.5),
            gpus: scored.serve.nodes * scored.serve.gpus_per_node,
            placement: 'separate' as const,
            sleeps: false,
            // What it judges: the conversation and two replies.
            longest: length.prompt + 2 * length.response,
          },
        }),
    prompt: length.prompt,
    reply: length.response,
  };
}

/** Whether a frozen policy's log-probabilities are computed (`need_reference_policy`). */
export function hasReference({ get }: Context): boolean {
  return get(`${actor}.use_kl_loss`) === true || get('algorithm.use_kl_in_reward') === true;
}

/**
 * With adapters the policy without them is the reference (`ref_in_actor`). Under FSDP verl keeps a model that only
 * computes forward on the host whatever `param_offload` says (`_build_fsdp_module`, `forward_only`).
 */
function referenceOf(ruled: Context, tuning: Tuning): RlJob['reference'] {
  const { stage, get } = ruled;
  if (!hasReference(ruled) || tuning.kind === 'lora') return { kind: 'none' };
  const megatron = stage.engine === 'megatron';
  const branch = `actor_rollout_ref.ref.${megatron ? 'megatron' : 'fsdp_config'}`;
  const streamed = !megatron && get(`${branch}.forward_only`) === true;
  const type = String(get(`${branch}.${megatron ? 'dtype' : 'model_dtype'}`) ?? 'fp32');
  return {
    kind: 'sharded',
    bytesPerParameter: megatron || /^(bf|fp|bfloat|float)16$/.test(type) ? 2 : 4,
    offloaded: streamed || get(`${branch}.param_offload`) === true,
    streamed,
  };
}

/** One forward pass holds whole replies, or as many tokens as a dynamic batch may. */
export function verlActorJob(
  ruled: Context,
  shape: ModelShape,
  { tuning, optimizer }: { tuning: Tuning; optimizer: Optimizer },
  env: Record<string, string>,
): TrainingJob {
  const { stage, get, context } = ruled;
  const { parallel, batch, length } = stage;
  const megatron = stage.engine === 'megatron';
  const dynamic = get(`${actor}.use_dynamic_bsz`) === true;
  const tokens = dynamic
    ? Number(get(`${actor}.ppo_max_token_len_per_gpu`)) * parallel.sequence
    : length.prompt + length.response;
  // A fused kernel and a chunked entropy never hold the entropy's own copy of the logits.
  const chunked = get(`${actorBranch(stage).engine}.entropy_from_logits_with_chunking`) === true;
  const fusedLoss = get(`${actor}.use_fused_kernels`) === true;
  const entropy =
    get(`${actor}.calculate_entropy`) === true || Number(get(`${actor}.entropy_coeff`) ?? 0) !== 0;
  return {
    shape,
    gpus: trainerNodes(stage, context.machine) * context.machine.gpusPerNode,
    gpusPerNode: context.machine.gpusPerNode,
    sharding: shardingOf(ruled),
    offload: get(`${actor}.fsdp_config.offload_policy`) === true ? 'all' : 'none',
    precision: isNarrow(ruled, actorBranch(stage)) && !megatron ? 'bf16-pure' : 'bf16-mixed',
    ...{ tuning, optimizer },
    microBatch: dynamic ? 1 : (batch.micro_per_device ?? 1),
    sequenceLength: tokens,
    sequenceParallel: megatron ? 1 : parallel.sequence,
    accumulation: 2,
    checkpointing: get('actor_rollout_ref.model.enable_gradient_checkpointing') !== false,
    fusedLoss,
    wholeEntropy: entropy && !chunked && !fusedLoss,
    expandableSegments: (env['PYTORCH_CUDA_ALLOC_CONF'] ?? '').includes('expandable_segments:True'),
  };
}

function shardingOf({ stage, get }: Context): Sharding {
  const { parallel, engine } = stage;
  if (engine !== 'megatron') return { kind: engine };
  return {
    kind: 'megatron',
    ...{ tp: parallel.tensor, pp: parallel.pipeline, cp: parallel.context },
    ep: Number(get(`${actor}.megatron.expert_model_parallel_size`) ?? 1),
    sequenceParallel: get(`${actor}.megatron.sequence_parallel`) !== false,
    distributedOptimizer: get(`${actor}.megatron.use_distributed_optimizer`) !== false,
  };
}
