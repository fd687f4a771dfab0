import type { ModelShape } from '../estimate/model-shape.ts';
import type { RlJob } from '../estimate/rl-job.ts';
import type { Sharding, TrainingJob } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import { trainerNodes } from '../stages/rl/study-words.ts';
import type { StageOf } from '../study/stage-schemas.ts';

type Context = RuleContext<StageOf<'rl'>>;

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';

/** A verl job as the estimator sees it, from the settings that the trainer will have. */
export function verlRlJob(
  ruled: Context,
  shapes: { policy: ModelShape; reward: ModelShape | undefined },
  env: Record<string, string>,
): RlJob {
  const { stage, get, context } = ruled;
  const { parallel, length, reward } = stage;
  const gpus = trainerNodes(stage, context.machine) * context.machine.gpusPerNode;
  const penalised = get(`${actor}.use_kl_loss`) === true || get('algorithm.use_kl_in_reward') === true;
  const refType = get('actor_rollout_ref.ref.fsdp_config.model_dtype');
  const branch = stage.engine === 'megatron' ? 'megatron' : 'fsdp_config';
  const rests = (model: 'actor' | 'ref', part: string): boolean =>
    get(`actor_rollout_ref.${model}.${branch}.${part}_offload`) === true;
  return {
    actor: actorJob(ruled, shapes.policy, gpus, env),
    between: {
      weights: parallel.offload === 'all',
      optimizer: ['optimizer', 'all'].includes(parallel.offload),
    },
    reference: penalised
      ? {
          kind: 'sharded',
          bytesPerParameter: refType === 'bfloat16' || refType === 'bf16' ? 2 : 4,
          offloaded: rests('ref', 'param') || parallel.offload === 'always',
        }
      : { kind: 'none' },
    rollout: {
      tp: parallel.rollout_tensor,
      utilisation: Number(get(`${rollout}.gpu_memory_utilization`)),
      gpus,
      placement: 'colocated',
      sleeps: get(`${rollout}.free_cache_engine`) !== false,
    },
    ...(reward.serve === undefined || shapes.reward === undefined
      ? {}
      : {
          reward: {
            shape: shapes.reward,
            tp: reward.serve.tensor,
            utilisation: Number(get('reward.reward_model.rollout.gpu_memory_utilization') ?? 0.5),
            gpus: reward.serve.nodes * reward.serve.gpus_per_node,
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

/** One forward pass holds whole replies, or as many tokens as a dynamic batch may. */
function actorJob(
  { stage, get, context }: Context,
  shape: ModelShape,
  gpus: number,
  env: Record<string, string>,
): TrainingJob {
  const { parallel, batch, length } = stage;
  const dynamic = get(`${actor}.use_dynamic_bsz`) === true;
  const tokens = dynamic
    ? Number(get(`${actor}.ppo_max_token_len_per_gpu`)) * parallel.sequence
    : length.prompt + length.response;
  const sharding: Sharding =
    stage.engine === 'megatron'
      ? {
          kind: 'megatron',
          ...{ tp: parallel.tensor, pp: parallel.pipeline, cp: parallel.context },
          sequenceParallel: get(`${actor}.megatron.sequence_parallel`) !== false,
          distributedOptimizer: get(`${actor}.megatron.use_distributed_optimizer`) !== false,
        }
      : { kind: stage.engine };
  return {
    shape,
    gpus,
    gpusPerNode: context.machine.gpusPerNode,
    sharding,
    offload: get(`${actor}.fsdp_config.offload_policy`) === true ? 'all' : 'none',
    precision: 'bf16-mixed',
    tuning: { kind: 'full' },
    microBatch: dynamic ? 1 : (batch.micro_per_device ?? 1),
    sequenceLength: tokens,
    sequenceParallel: stage.engine === 'megatron' ? 1 : parallel.sequence,
    accumulation: 2,
    checkpointing: get('actor_rollout_ref.model.enable_gradient_checkpointing') !== false,
    fusedLoss: get('actor_rollout_ref.model.use_fused_kernels') === true,
    expandableSegments: (env['PYTORCH_CUDA_ALLOC_CONF'] ?? '').includes('expandable_segments:True'),
  };
}
