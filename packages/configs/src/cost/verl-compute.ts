import { estimateRlCompute } from '../estimate/rl-compute.ts';
import type { RlJob } from '../estimate/rl-job.ts';
import { estimateRlMemory, type RlMemory } from '../estimate/rl-memory.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import type { DataSize } from './data-size.ts';
import { type Count, type JobCost, type Known, known, unknown } from './job-cost.ts';
import { hasReference } from './verl-job.ts';

type Context = RuleContext<StageOf<'rl'>>;

/** Of a reply's limit, how long replies are taken to be; nothing says it before a run. */
const meanReplyShare = 0.5;

/** What the steps of a verl job compute, and how long they may take. */
export function verlCompute(
  ruled: Context,
  job: RlJob,
  { meanTokens }: DataSize,
  steps: Known<Count>,
): JobCost['compute'] {
  const { stage, context, get } = ruled;
  const { gpu } = context.machine;
  if (gpu?.kind == null) return unknown('the kind of GPU is not known: give `target.gpus.kind`');
  if (meanTokens === null) return unknown('tokens depend on `data.NAME.rows` and `mean_tokens`');
  if (!steps.known) return unknown(steps.why);
  const { length, batch } = stage;
  const memory = estimateRlMemory(job, gpu.memoryGb);
  const meanPrompt = Math.min(meanTokens, length.prompt);
  const meanReply = meanReplyShare * length.response;
  const updateEpochs = Number(get('actor_rollout_ref.actor.ppo_epochs') ?? 1);
  const { reward, critic } = job;
  const compute = estimateRlCompute({
    shape: job.actor.shape,
    steps: steps.value.high,
    ...{ prompts: batch.prompts, replies: batch.samples },
    ...{ meanPrompt, meanReply, longestReply: length.response },
    updateEpochs,
    ...{ recompute: job.actor.checkpointing, tuning: job.actor.tuning },
    ...(get('actor_rollout_ref.model.use_remove_padding') === false
      ? { padded: length.prompt + length.response }
      : {}),
    oldLogProb: true,
    reference: hasReference(ruled),
    ...(critic === undefined
      ? {}
      : {
          critic: {
            ...{ shape: critic.job.shape, tuning: critic.job.tuning, recompute: critic.job.checkpointing },
            updateEpochs: Number(get('critic.ppo_epochs') ?? updateEpochs),
          },
        }),
    rollout: timing(job.rollout.tp, memory.cache),
    ...(reward === undefined || memory.rewardCache === undefined
      ? {}
      : {
          reward: {
            shape: reward.shape,
            ...timing(reward.tp, memory.rewardCache),
            // Each reply is judged in both orders.
            callsPerReply: 2,
            ...{ meanPrompt: meanPrompt + 2 * meanReply, meanReply, longestReply: length.response },
            gpus: reward.gpus,
          },
        }),
    ...{ gpus: job.actor.gpus, card: gpu.kind },
  });
  const assumed = {
    name: 'mean reply, tokens',
    low: meanReply,
    high: length.response,
    why: `assumed: ${meanReplyShare} of the limit`,
  };
  return known({ ...compute, assumptions: [...compute.assumptions, assumed] });
}

function timing(tp: number, cache: RlMemory['cache']): { tp: number; replicas: number; concurrent: number } {
  return { tp, replicas: Math.max(1, cache.replicas), concurrent: Math.max(1, cache.fullReplies) };
}
