import type { Plan } from '@her/configs';
import type { Ledger } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { callerDirectory, openHome } from '../home.ts';
import { driveStudy } from '../launch/drive-study.ts';
import { refuseStrangers, refuseUndecided } from '../launch/refuse.ts';
import type { JobStanding } from '../reconcile/decide.ts';
import type { Outcome } from '../reconcile/loop.ts';
import type { StudyState } from '../reconcile/state.ts';
import { registerStudy } from '../register.ts';
import { withholdSecrets } from '../secrets/withhold.ts';
import { foldLedger, openStudyLedger } from '../session.ts';
import { openStudyFile } from '../study-file.ts';
import { printSummary } from '../views/summary.ts';

export type RunOptions = {
  home?: string;
  retries: number;
  target?: string;
  allowDirty: boolean;
  json: boolean;
};

/** `her run STUDY`: makes the world match the plan. Returns the exit code. */
export async function run(file: string, options: RunOptions): Promise<number> {
  const home = openHome(options.home);
  const planned = await openStudyFile(file, callerDirectory(), { target: options.target });
  const { plan } = planned;
  refuseUndecided(planned);
  const variables = withholdSecrets(plan, process.env);
  const ledger = await openStudyLedger(home, plan.study);
  try {
    const state = await foldLedger(ledger.dir);
    refuseStrangers(plan, state);
    await registerStudy(ledger, state, planned);
    const detach = new AbortController();
    const onInterrupt = (): void => detach.abort();
    process.on('SIGINT', onInterrupt);
    process.on('SIGTERM', onInterrupt);
    const { retries, allowDirty } = options;
    const outcome = await driveStudy({
      ...{ home, planned, ledger, state, variables, allowDirty },
      policy: { retries },
      signal: detach.signal,
    }).finally(() => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onInterrupt);
    });
    return await report(ledger, plan, state, outcome, detach.signal.aborted, options);
  } finally {
    await ledger.close();
  }
}

async function report(
  ledger: Ledger,
  plan: Plan,
  state: StudyState,
  outcome: Outcome,
  detached: boolean,
  options: RunOptions,
): Promise<number> {
  const head = await ledger.checkpoint();
  await printSummary({
    plan,
    state,
    policy: { retries: options.retries },
    outcome,
    head,
    detached,
    json: options.json,
    ledgerDir: ledger.dir,
  });
  return detached ? exitCodes.detached : exitCodeOf(outcome.map(({ standing: is }) => is));
}

function exitCodeOf(standings: readonly JobStanding[]): number {
  if (standings.every(({ is }) => is === 'done')) return exitCodes.done;
  if (standings.some(({ is }) => is === 'failed')) return exitCodes.failed;
  if (standings.some(({ is }) => is === 'stopped')) return exitCodes.stopped;
  return exitCodes.waiting;
}
