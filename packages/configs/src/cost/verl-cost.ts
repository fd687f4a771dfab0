import { checkpointSize, peakDisk } from '../estimate/checkpoint-size.ts';
import { countParameters, type ModelShape } from '../estimate/model-shape.ts';
import { rlRemedies } from '../estimate/remedies.ts';
import { estimateRlCompute } from '../estimate/rl-compute.ts';
import type { RlJob } from '../estimate/rl-job.ts';
import { estimateRlMemory, type RlMemory } from '../estimate/rl-memory.ts';
import { rlNeeds } from '../estimate/rl-needs.ts';
import { judge } from '../estimate/verdict.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { type DataSize, dataSize } from './data-size.ts';
import { type Count, type DiskCost, type JobCost, type Known, known, unknown } from './job-cost.ts';
import { verlRlJob } from './verl-job.ts';

type Context = RuleContext<StageOf<'rl'>>;

/** Of a reply's limit, how long replies are taken to be; nothing says it before a run. */
const meanReplyShare = 0.5;

/** What one job of verl costs. */
export function verlCost(
  ruled: Context,
  shapes: { policy: ModelShape | undefined; reward: ModelShape | undefined },
  env: Record<string, string>,
): JobCost {
  const { stage, context } = ruled;
  const { policy, reward } = shapes;
  const size = dataSize(context.study, stage.prompts);
  const steps = stepsOf(stage, size);
  if (policy === undefined || (stage.reward.model !== undefined && reward === undefined)) {
    const why = 'the shape of a model is not known: give `models.NAME.shape`';
    return { steps, memory: unknown(why), disk: unknown(why), compute: unknown(why) };
  }
  const disk = steps.known ? known(diskOf(stage, policy, steps.value)) : unknown(steps.why);
  const { gpu, memoryGbPerNode } = context.machine;
  if (gpu === null) {
    const why = 'the target has no GPU';
    return { steps, disk, memory: unknown(why), compute: unknown(why) };
  }
  const job = verlRlJob(ruled, { policy, reward }, env);
  const machine = { cardGb: gpu.memoryGb, hostMemory: memoryGbPerNode * 1e9 };
  const judgement = judge(rlNeeds(job, machine));
  return {
    steps,
    disk,
    memory: known({ judgement, remedies: judgement.verdict === 'fits' ? [] : rlRemedies(job, machine) }),
    compute: computeOf(ruled, job, estimateRlMemory(job, gpu.memoryGb), size, steps),
  };
}

function stepsOf({ steps, epochs, batch }: StageOf<'rl'>, { rows }: DataSize): Known<Count> {
  if (steps !== undefined) return known({ low: steps, high: steps });
  if (rows === null) return unknown('the rows of the prompts are not known: give `data.NAME.rows`');
  // verl drops the last batch of an epoch when it is not full.
  const count = (epochs ?? 1) * Math.floor(rows / batch.prompts);
  return known({ low: count, high: count });
}

function diskOf(stage: StageOf<'rl'>, policy: ModelShape, steps: Count): DiskCost {
  const { total } = countParameters(policy);
  const checkpoint = checkpointSize(
    total,
    stage.engine === 'megatron'
      ? { trainer: 'megatron', optimizer: stage.resumable, safetensors: true }
      : stage.resumable
        ? { trainer: 'verl-fsdp', precision: 'fp32', hfModel: true }
        : { trainer: 'ms-swift', content: 'weights', precision: 'bf16' },
  );
  const saves = {
    low: Math.ceil(steps.low / stage.save_every),
    high: Math.ceil(steps.high / stage.save_every),
  };
  return { checkpoint, saves, keep: stage.keep ?? null, peak: peakDisk(checkpoint, saves.high, stage.keep) };
}

function computeOf(
  { stage, context, get }: Context,
  job: RlJob,
  memory: RlMemory,
  { meanTokens }: DataSize,
  steps: Known<Count>,
): JobCost['compute'] {
  const card = context.machine.gpu?.kind;
  if (card == null) return unknown('the kind of GPU is not known: give `target.gpus.kind`');
  if (meanTokens === null) return unknown('tokens depend on `data.NAME.rows` and `mean_tokens`');
  if (!steps.known) return unknown(steps.why);
  const meanPrompt = Math.min(meanTokens, stage.length.prompt);
  const meanReply = meanReplyShare * stage.length.response;
  const { reward } = job;
  const compute = estimateRlCompute({
    shape: job.actor.shape,
    steps: steps.value.high,
    ...{ prompts: stage.batch.prompts, replies: stage.batch.samples },
    ...{ meanPrompt, meanReply, longestReply: stage.length.response },
    updateEpochs: Number(get('actor_rollout_ref.actor.ppo_epochs') ?? 1),
    recompute: job.actor.checkpointing,
    oldLogProb: true,
    reference: job.reference.kind === 'sharded',
    rollout: timing(job.rollout.tp, memory.cache),
    ...(reward === undefined || memory.rewardCache === undefined
      ? {}
      : {
          reward: {
            shape: reward.shape,
            ...timing(reward.tp, memory.rewardCache),
            // Each reply is judged in both orders.
            callsPerReply: 2,
            ...{ meanPrompt: meanPrompt + 2 * meanReply, meanReply, longestReply: stage.length.response },
            gpus: reward.gpus,
          },
        }),
    ...{ gpus: job.actor.gpus, card },
  });
  const assumed = {
    name: 'mean reply, tokens',
    low: meanReply,
    high: stage.length.response,
    why: `assumed: ${meanReplyShare} of the limit`,
  };
  return known({ ...compute, assumptions: [...compute.assumptions, assumed] });
}

function timing(tp: number, cache: RlMemory['cache']): { tp: number; replicas: number; concurrent: number } {
  return { tp, replicas: Math.max(1, cache.replicas), concurrent: Math.max(1, cache.fullReplies) };
}
