import type { Job, Plan } from '@her/configs';
import { HerError } from './errors.ts';

/** The job that a person means: its name (`sft/11`), or the start of its id. */
export function findJob(plan: Plan, wanted: string): Job {
  const byName = plan.jobs.find((job) => job.name === wanted);
  if (byName !== undefined) return byName;
  const byId = /^[0-9a-f]{4,}$/.test(wanted) ? plan.jobs.filter((job) => job.id.startsWith(wanted)) : [];
  const [only] = byId;
  if (only !== undefined && byId.length === 1) return only;
  throw new HerError('JOB_NOT_FOUND', `${plan.study} has no job \`${wanted}\``, {
    hint: `Jobs: ${plan.jobs.map((job) => job.name).join(', ')}.`,
  });
}

/** The jobs named, or all of the plan when none is. A stage's name means all its seeds. */
export function findJobs(plan: Plan, wanted: readonly string[]): Job[] {
  if (wanted.length === 0) return plan.jobs;
  const found = wanted.flatMap((name) => {
    const stage = plan.jobs.filter((job) => job.stage === name);
    return stage.length > 0 ? stage : [findJob(plan, name)];
  });
  return [...new Set(found)];
}
