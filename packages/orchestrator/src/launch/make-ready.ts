import type { Job } from '@her/configs';
import type { Finding } from '../doctor/finding.ts';
import { nodesOf } from '../doctor/nodes-of.ts';
import { preflight } from '../doctor/run-doctor.ts';
import { HerError } from '../errors.ts';
import type { Home } from '../home.ts';
import { resolveHost } from '../ssh/resolve.ts';
import type { PlannedStudy } from '../study-file.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import type { RunnerOn } from '../targets/open-target.ts';
import type { Target } from '../targets/target.ts';

export type MakingReady = {
  planned: PlannedStudy;
  /** Jobs that are still to be done. */
  open: readonly Job[];
  /** Whether some of them run already. */
  live: boolean;
  home: Home;
  target: Target;
  runnerOn: RunnerOn;
  /** The agent's zipapp, here. */
  archive: () => Promise<string>;
  say: (line: string) => void;
  signal: AbortSignal;
};

/**
 * Looks at the nodes and puts there what jobs need, before the first of them starts.
 * @throws {HerError} what speaks against a start: nothing was started
 */
export async function makeReady(ready: MakingReady): Promise<void> {
  const { open, live, target, say, signal } = ready;
  if (open.length === 0) return;
  if (!live && target.kind !== 'local') await refuseUnfit(ready);
  const environments = [...new Set(open.map((job) => job.environment))];
  await target.prepare(environments, say, signal).catch((error: unknown) => {
    // What runs is attached to all the same; a node that is out of reach is made ready when it is needed.
    if (!live || !(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
    say(error.message);
  });
}

async function refuseUnfit({ planned, open, home, runnerOn, archive }: MakingReady): Promise<void> {
  const plan = { ...planned.plan, jobs: [...open] };
  const nodes = await nodesOf(plan, {
    local: localRunner,
    // The connection is the run's own: it outlives the look at the node.
    openRunner: async (host) => ({ ...runnerOn(host), close: async () => undefined }),
    addressOf: async (host) => (await resolveHost(host)).hostname,
  });
  const failures = await preflight(planned, plan, nodes, { home, archive: await archive() });
  if (failures.length > 0) throw unfit(failures);
}

function unfit(failures: readonly Finding[]): HerError {
  const [first] = failures;
  if (failures.length === 1 && first !== undefined)
    return new HerError(first.code ?? 'NODE_UNFIT', lineOf(first), { hint: first.remedy ?? '' });
  const lines = failures.map((one) => `  ${lineOf(one)}${one.remedy ? `\n    → ${one.remedy}` : ''}`);
  return new HerError(
    'NODE_UNFIT',
    `${failures.length} things speak against a start:\n${lines.join('\n')}\n`,
  );
}

function lineOf({ node, check, what }: Finding): string {
  const place = node ?? 'here';
  return what.startsWith(place) ? what : `${place}: ${check}: ${what}`;
}
