import type { LoadedStudy } from '../load/load.ts';
import type { Job, Plan } from '../plan/job.ts';
import { rulesOf } from '../rules/options.ts';
import { contextOf } from '../rules/rule.ts';
import { stageContext } from '../stages/contexts.ts';
import { verlSettings } from '../stages/rl/render.ts';
import { swiftSettings } from '../stages/swift/render.ts';
import type { JobCost } from './job-cost.ts';
import { shapeOf } from './shape-of.ts';
import { swiftCost } from './swift-cost.ts';
import { verlCost } from './verl-cost.ts';

/** What the jobs of a plan cost, by arm and stage as `ARM/STAGE`; stages that train nothing are left out. */
export function planCosts(loaded: LoadedStudy, plan: Plan): Map<string, JobCost> {
  const costs = new Map<string, JobCost>();
  for (const job of plan.jobs) {
    const key = costKey(job);
    if (costs.has(key)) continue;
    const cost = jobCost(loaded, job);
    if (cost !== undefined) costs.set(key, cost);
  }
  return costs;
}

export function costKey({ arm, stage }: Pick<Job, 'arm' | 'stage'>): string {
  return `${arm}/${stage}`;
}

function jobCost({ arms }: LoadedStudy, job: Job): JobCost | undefined {
  const arm = arms.find((candidate) => candidate.arm === job.arm);
  const stage = arm?.study.stages[job.stage];
  const table = stage === undefined ? undefined : rulesOf(stage)?.table;
  if (arm === undefined || stage === undefined || table === undefined) return undefined;
  const about = { stageName: job.stage, seed: job.seed };
  if (stage.kind === 'rl') {
    const context = stageContext(arm.study, arm.told, { ...about, stage });
    const ruled = contextOf(context, verlSettings(context).settings, table);
    const reward = stage.reward.model;
    const shapes = {
      policy: shapeOf(arm.study, stage.model),
      reward: reward === undefined ? undefined : shapeOf(arm.study, reward),
    };
    return verlCost(ruled, shapes, job.env);
  }
  if (stage.kind !== 'sft' && stage.kind !== 'rlhf') return undefined;
  const context = stageContext(arm.study, arm.told, { ...about, stage });
  const ruled = contextOf(context, swiftSettings(context).settings, table);
  return swiftCost(ruled, shapeOf(arm.study, stage.model), job.env);
}
