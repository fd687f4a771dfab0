import type { ModelShape } from '../estimate/model-shape.ts';
import { ADAM } from '../estimate/optimizers.ts';
import { rlRemedies } from '../estimate/remedies.ts';
import { rlNeeds } from '../estimate/rl-needs.ts';
import { judge } from '../estimate/verdict.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { type DataSize, dataSize } from './data-size.ts';
import { countable, finite } from './finite.ts';
import { allKnown, type Count, type JobCost, type Known, known, unknown } from './job-cost.ts';
import { verlCompute } from './verl-compute.ts';
import { criticJob, criticShape, hasCritic } from './verl-critic.ts';
import { verlDisk } from './verl-disk.ts';
import { verlActorJob, verlRlJob } from './verl-job.ts';
import { actorBranch, verlOptimizer, verlTuning } from './verl-tuning.ts';

type Context = RuleContext<StageOf<'rl'>>;

/** What one job of verl costs. */
export function verlCost(
  ruled: Context,
  shapes: { policy: ModelShape | undefined; reward: ModelShape | undefined },
  env: Record<string, string>,
): JobCost {
  const { stage, context } = ruled;
  const { policy, reward } = shapes;
  const size = dataSize(context.study, stage.prompts);
  const steps = countable(stepsOf(stage, size));
  const none = (why: string): JobCost => ({
    ...{ steps, memory: unknown(why), disk: unknown(why), compute: unknown(why) },
  });
  if (policy === undefined || (stage.reward.model !== undefined && reward === undefined))
    return none('the shape of a model is not known: give `models.NAME.shape`');
  const branch = actorBranch(stage);
  const tuning = verlTuning(ruled, branch);
  if (!tuning.known) return none(tuning.why);
  const optimizer = verlOptimizer(ruled, branch);
  const kept = optimizer.known ? optimizer.value : ADAM;
  const actor = verlActorJob(ruled, policy, { tuning: tuning.value, optimizer: kept }, env);
  const shape = hasCritic(ruled) ? criticShape(ruled, policy) : known(undefined);
  const critic = !shape.known || shape.value === undefined ? shape : criticJob(ruled, shape.value, actor);
  const saved = allKnown({ critic, steps, optimizer });
  const disk = saved.known
    ? known(verlDisk(ruled, actor, saved.value.critic?.job, saved.value.steps))
    : unknown(saved.why);
  const { gpu, memoryGbPerNode } = context.machine;
  if (gpu === null) return { ...none('the target has no GPU'), disk: finite(disk) };
  if (!critic.known) return none(critic.why);
  const job = verlRlJob(ruled, actor, reward, critic.value);
  const machine = { cardGb: gpu.memoryGb, hostMemory: memoryGbPerNode * 1e9 };
  const judgement = judge(rlNeeds(job, machine));
  const remedies = judgement.verdict === 'fits' ? [] : rlRemedies(job, machine);
  return {
    steps,
    disk: finite(disk),
    memory: optimizer.known ? finite(known({ judgement, remedies })) : optimizer,
    compute: finite(verlCompute(ruled, job, size, steps)),
  };
}

function stepsOf({ steps, epochs, batch }: StageOf<'rl'>, { rows }: DataSize): Known<Count> {
  // verl drops the last batch of an epoch when it is not full.
  const each = rows === null ? undefined : Math.floor(rows / batch.prompts);
  if (each === 0) return unknown('fewer prompts than a batch: no step is made');
  if (steps !== undefined) return known({ low: steps, high: steps });
  if (each === undefined) return unknown('the rows of the prompts are not known: give `data.NAME.rows`');
  const count = (epochs ?? 1) * each;
  return known({ low: count, high: count });
}
