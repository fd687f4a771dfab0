import type { Job } from '@her/configs';
import { openHome } from '../home.ts';
import { defaultPolicy } from '../reconcile/decide.ts';
import { type AttemptState, latestAttempt } from '../reconcile/state.ts';
import { readRecorded } from '../session.ts';
import { type AgentState, agentStates } from '../targets/agent-states.ts';
import { openTarget } from '../targets/open-target.ts';
import { jobRows, treeLines } from '../views/tree.ts';
import { oneLine } from '../views/words.ts';

export type StatusOptions = { home?: string; study?: string; json: boolean };

/** `her status`: where each job stands by the ledger, and what the agents of running ones say now. */
export async function status(options: StatusOptions): Promise<number> {
  const home = openHome(options.home);
  const { name, plan, state, home: places } = await readRecorded(home, options.study);
  const live = plan.jobs.flatMap((job) => {
    const attempt = latestAttempt(state.jobs.get(job.id));
    return attempt !== undefined && attempt.ended === null ? [{ job, attempt }] : [];
  });
  const target = openTarget(home, places, plan);
  const agents = await agentStates(
    target,
    live.map(({ attempt }) => attempt),
  ).finally(() => target.close());
  const unknown = unknownSince(live, agents);
  const rows = jobRows(plan, state, defaultPolicy, unknown, Date.now(), queuedJobs(live, agents));
  if (options.json) {
    const jobs = rows.map(({ job, word, detail }) => {
      const attempt = latestAttempt(state.jobs.get(job.id));
      const { id, name: jobName, stage, arm, seed } = job;
      const agent = attempt === undefined ? null : (agents.get(attempt.id)?.health ?? null);
      return {
        id,
        name: jobName,
        stage,
        arm,
        seed,
        state: word,
        detail,
        attempt: attempt?.id ?? null,
        step: attempt?.lastStep ?? null,
        agent,
      };
    });
    process.stdout.write(`${JSON.stringify({ study: name, entries: state.size, jobs })}\n`);
    return 0;
  }
  const lines = treeLines(rows, process.stdout.columns ?? 120);
  for (const { job, attempt } of live) {
    const said = agents.get(attempt.id)?.health ?? 'unknown';
    if (said !== 'running')
      lines.push(`${job.name}: its agent says: ${said}; \`her run\` takes it from there`);
  }
  lines.unshift(`${name}  (${state.size} entries)`);
  const [first] = live;
  if (first !== undefined) lines.push('', `next    her run STUDY   attaches; her logs ${first.job.name} -f`);
  process.stdout.write(`${lines.map(oneLine).join('\n')}\n`);
  return 0;
}

/** Since when the jobs whose agents cannot be asked have not been heard of: as recorded, else from now. */
function unknownSince(
  live: readonly { job: Job; attempt: AttemptState }[],
  agents: ReadonlyMap<string, AgentState>,
): Map<string, Date> {
  const silent = live.filter(({ attempt }) => agents.get(attempt.id)?.health === 'unreachable');
  return new Map(
    silent.map(({ job, attempt }) => {
      const [since] = [...attempt.unknownSince.values()].sort();
      return [job.id, since === undefined ? new Date() : new Date(since)];
    }),
  );
}

function queuedJobs(
  live: readonly { job: Job; attempt: AttemptState }[],
  agents: ReadonlyMap<string, AgentState>,
): Map<string, string> {
  return new Map(
    live.flatMap(({ job, attempt }) => {
      const waits = agents.get(attempt.id)?.waits ?? null;
      return waits === null ? [] : [[job.id, waits] as const];
    }),
  );
}
