import { rm } from 'node:fs/promises';
import { type Ledger, LedgerError } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { findJobs } from '../find-job.ts';
import { openHome } from '../home.ts';
import { defaultPolicy, standing } from '../reconcile/decide.ts';
import { reconcile } from '../reconcile/loop.ts';
import { pause } from '../reconcile/pause.ts';
import { latestAttempt, type StudyState } from '../reconcile/state.ts';
import { leaveStopRequest } from '../reconcile/stops.ts';
import { foldLedger, openStudyLedger, type Recorded, readRecorded } from '../session.ts';
import { openTarget } from '../targets/open-target.ts';
import type { Target } from '../targets/target.ts';
import { openWatch } from '../views/watch.ts';

export type StopOptions = { home?: string; study?: string; reason: string };

/**
 * `her stop [JOB…]`: asks the agents to end these jobs, and waits until they have ended. The request lies in a folder:
 * whoever writes the ledger obeys it, a `her run` that is at work or, where there is none, this command itself.
 */
export async function stop(wanted: readonly string[], options: StopOptions): Promise<number> {
  const home = openHome(options.home);
  const recorded = await readRecorded(home, options.study);
  const jobs = findJobs(recorded.plan, wanted).map(({ id }) => id);
  const requests = { folder: recorded.home.requests };
  const file = await leaveStopRequest(requests, { jobs, reason: options.reason });
  const letGo = new AbortController();
  process.once('SIGINT', () => letGo.abort());
  let told = false;
  try {
    while (!letGo.signal.aborted) {
      const ledger = await openUnlessHeld(() => openStudyLedger(home, recorded.name));
      if (ledger !== null) {
        const state = await stopHere(recorded, jobs, ledger, letGo.signal, () =>
          openTarget(home, recorded.home, recorded.plan),
        );
        return letGo.signal.aborted ? exitCodes.detached : say(recorded, jobs, state);
      }
      if (!told)
        process.stderr.write('a `her run` is at work on this study; it was asked to stop the jobs\n');
      told = true;
      await pause(500, letGo.signal);
      const state = await foldLedger(recorded.home.ledger);
      if (allHeld(jobs, state)) return say(recorded, jobs, state);
    }
    return exitCodes.detached;
  } finally {
    await rm(file, { force: true });
  }
}

async function openUnlessHeld(open: () => Promise<Ledger>): Promise<Ledger | null> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEDGER_LOCKED') return null;
    throw error;
  }
}

/** Nobody else writes the ledger: obeys the request itself, and follows the attempts to their end. */
async function stopHere(
  recorded: Recorded,
  jobs: readonly string[],
  ledger: Ledger,
  signal: AbortSignal,
  open: () => Target,
): Promise<StudyState> {
  const { plan } = recorded;
  try {
    const state = await foldLedger(recorded.home.ledger);
    const policy = defaultPolicy;
    const watch = openWatch({ plan, state, policy }, process.stderr);
    const until = (): boolean => !jobs.some((id) => latestAttempt(state.jobs.get(id))?.ended === null);
    const target = open();
    const locate = (path: string): string => path;
    const world = {
      plan,
      ledger,
      state,
      target,
      capacity: [],
      // Nothing is started here.
      secrets: async () => ({}),
      gangKey: async () => '',
      policy,
      until,
      observer: watch.observer,
      locate,
      signal,
    };
    try {
      await reconcile(world, { folder: recorded.home.requests });
    } finally {
      watch.close();
      await target.close();
    }
    return state;
  } finally {
    await ledger.close();
  }
}

/** Whether nothing of these jobs runs and each that was not done is stopped. */
function allHeld(jobs: readonly string[], state: StudyState): boolean {
  return jobs.every((id) => {
    const job = state.jobs.get(id);
    const latest = latestAttempt(job);
    return (
      (latest === undefined || latest.ended !== null) && (job?.stopped === true || latest?.ended?.code === 0)
    );
  });
}

function say(recorded: Recorded, jobs: readonly string[], state: StudyState): number {
  const names = recorded.plan.jobs
    .filter(
      (job) => jobs.includes(job.id) && standing(recorded.plan, state, job, defaultPolicy).is === 'stopped',
    )
    .map(({ name }) => name);
  const others = jobs.length - names.length;
  const rest = others === 0 ? '' : ` (${others} had ended before)`;
  process.stdout.write(`${recorded.name}: stopped: ${names.join(', ') || 'nothing'}${rest}\n`);
  if (names.length > 0) process.stdout.write('next    her resume   lifts the stop; her run   goes on\n');
  return exitCodes.done;
}
