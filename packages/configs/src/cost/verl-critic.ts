import { findKnownShape } from '../estimate/known-shapes.ts';
import { type ModelShape, valueShape } from '../estimate/model-shape.ts';
import type { Between } from '../estimate/rl-job.ts';
import type { TrainingJob } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { allKnown, type Known, known, unknown } from './job-cost.ts';
import { criticBranch, isNarrow, verlOptimizer, verlTuning } from './verl-tuning.ts';

type Context = RuleContext<StageOf<'rl'>>;

/** Whether verl trains a critic: when told to, or for the one estimator that needs one (`need_critic`). */
export function hasCritic({ get }: Context): boolean {
  const told = get('critic.enable');
  return told == null ? get('algorithm.adv_estimator') === 'gae' : told === true;
}

/** The critic's shape: the policy's where they start from the same weights, else by the name of its path. */
export function criticShape({ get }: Context, policy: ModelShape): Known<ModelShape> {
  const path = textOf(get('critic.model.path') ?? '');
  const same = path === textOf(get('actor_rollout_ref.model.path') ?? '');
  const shape = same ? policy : findKnownShape(path)?.shape;
  return shape === undefined
    ? unknown(`the shape of the critic \`${path}\` is not known: see \`critic.model.path\``)
    : known(valueShape(shape));
}

/** The critic's own job on the actor's GPUs, from the actor's and the settings of `critic`. */
export function criticJob(
  ruled: Context,
  shape: ModelShape,
  actor: TrainingJob,
): Known<{ job: TrainingJob; between: Between }> {
  const { get, stage } = ruled;
  const branch = criticBranch(stage);
  const parts = allKnown({
    tuning: verlTuning(ruled, branch),
    optimizer: verlOptimizer(ruled, branch),
    batch: batchOf(ruled),
  });
  if (!parts.known) return parts;
  const { tuning, optimizer, batch } = parts.value;
  const rests = (part: string): boolean => get(`${branch.engine}.${part}_offload`) === true;
  const job: TrainingJob = {
    shape,
    ...{ gpus: actor.gpus, gpusPerNode: actor.gpusPerNode, sharding: shardingOf(ruled) },
    offload: streams(ruled) ? 'all' : 'none',
    precision: isNarrow(ruled, branch) && stage.engine !== 'megatron' ? 'bf16-pure' : 'bf16-mixed',
    ...{ tuning, optimizer, ...batch, valueHead: true },
    accumulation: 2,
    checkpointing: get('critic.model.enable_gradient_checkpointing') !== false,
    fusedLoss: false,
    expandableSegments: actor.expandableSegments === true,
  };
  return known({ job, between: { weights: rests('param'), optimizer: rests('optimizer') } });
}

const streams = ({ get, stage }: Context): boolean =>
  stage.engine !== 'megatron' &&
  textOf(get('critic.strategy')) === 'fsdp2' &&
  get('critic.fsdp.offload_policy') === true;

type Batch = Pick<TrainingJob, 'microBatch' | 'sequenceLength' | 'sequenceParallel'>;

function batchOf({ get, stage }: Context): Known<Batch> {
  const megatron = stage.engine === 'megatron';
  const sequenceParallel = megatron
    ? 1
    : Math.max(
        ...['critic.ulysses_sequence_parallel_size', 'critic.fsdp.ulysses_sequence_parallel_size'].map(
          (name) => Number(get(name) ?? 1),
        ),
      );
  if (get('critic.use_dynamic_bsz') === true) {
    const tokens = Number(get('critic.ppo_max_token_len_per_gpu')) * sequenceParallel;
    return known({ microBatch: 1, sequenceLength: tokens, sequenceParallel });
  }
  const rows = get('critic.ppo_micro_batch_size_per_gpu');
  if (typeof rows !== 'number')
    return unknown('the rows of a critic pass are not known: give `critic.ppo_micro_batch_size_per_gpu`');
  return known({
    microBatch: rows,
    sequenceLength: stage.length.prompt + stage.length.response,
    sequenceParallel,
  });
}

function shardingOf({ get, stage }: Context): TrainingJob['sharding'] {
  if (stage.engine !== 'megatron')
    return { kind: textOf(get('critic.strategy')) === 'fsdp2' ? 'fsdp2' : 'fsdp' };
  const size = (name: string): number => Number(get(`critic.megatron.${name}_parallel_size`) ?? 1);
  return {
    kind: 'megatron',
    tp: size('tensor_model'),
    pp: size('pipeline_model'),
    cp: size('context'),
    ep: size('expert_model'),
    sequenceParallel: get('critic.megatron.sequence_parallel') !== false,
    distributedOptimizer: get('critic.megatron.use_distributed_optimizer') !== false,
  };
}
