import { costKey, type Job } from '@her/configs';

/** The jobs of one stage and arm, in the plan's order. */
export function groups(jobs: readonly Job[]): [Job, ...Job[]][] {
  const found = new Map<string, [Job, ...Job[]]>();
  for (const job of jobs) {
    const group = found.get(costKey(job));
    if (group === undefined) found.set(costKey(job), [job]);
    else group.push(job);
  }
  return [...found.values()];
}
