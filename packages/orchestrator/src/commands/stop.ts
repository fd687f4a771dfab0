import { existsSync } from 'node:fs';
import { type Ledger, LedgerError } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { findJobs } from '../find-job.ts';
import { openHome } from '../home.ts';
import { defaultPolicy } from '../reconcile/decide.ts';
import { pause } from '../reconcile/follow.ts';
import { reconcile } from '../reconcile/loop.ts';
import { latestAttempt } from '../reconcile/state.ts';
import { leaveStopRequest } from '../reconcile/stops.ts';
import { foldLedger, openStudyLedger, type Recorded, readRecorded } from '../session.ts';
import { openLocalTarget } from '../targets/local/local-target.ts';
import { openWatch } from '../views/watch.ts';

export type StopOptions = { home?: string; study?: string; reason: string };

/** `her stop [JOB…]`: asks the agents to end these jobs, and waits until they have ended. */
export async function stop(wanted: readonly string[], options: StopOptions): Promise<number> {
  const home = openHome(options.home);
  const recorded = await readRecorded(home, options.study);
  const jobs = findJobs(recorded.plan, wanted).map(({ id }) => id);
  const requests = { folder: recorded.home.requests };
  const file = await leaveStopRequest(requests, { jobs, reason: options.reason });
  let ledger: Ledger;
  try {
    ledger = await openStudyLedger(home, recorded.name);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'LEDGER_LOCKED') throw error;
    return waitForOther(recorded, jobs, file);
  }
  try {
    const { plan } = recorded;
    const state = await foldLedger(recorded.home.ledger);
    const policy = defaultPolicy;
    const watch = openWatch({ plan, state, policy }, process.stderr);
    const until = (): boolean => !jobs.some((id) => latestAttempt(state.jobs.get(id))?.ended === null);
    const { observer } = watch;
    const target = openLocalTarget(home, recorded.home);
    const capacity = { cores: 0, memoryGb: 0 };
    await reconcile(
      {
        plan,
        ledger,
        state,
        target,
        capacity,
        policy,
        until,
        observer,
        locate: (path) => path,
        signal: new AbortController().signal,
      },
      requests,
    );
    watch.close();
  } finally {
    await ledger.close();
  }
  return say(recorded, jobs.length);
}

/** Another `her run` writes the ledger: it obeys the request, this one watches it do so. */
async function waitForOther(recorded: Recorded, jobs: readonly string[], file: string): Promise<number> {
  process.stderr.write('a `her run` is at work on this study; it was asked to stop the jobs\n');
  const never = new AbortController().signal;
  while (existsSync(file)) await pause(200, never);
  for (;;) {
    const state = await foldLedger(recorded.home.ledger);
    if (!jobs.some((id) => latestAttempt(state.jobs.get(id))?.ended === null))
      return say(recorded, jobs.length);
    await pause(500, never);
  }
}

function say(recorded: Recorded, count: number): number {
  process.stdout.write(
    `${recorded.name}: ${count} jobs are stopped\nnext    her resume   lifts the stop; her run   goes on\n`,
  );
  return exitCodes.done;
}
