import { join } from 'node:path';
import type { Plan } from '@her/configs';
import type { Ledger } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { gangKey } from '../gang-key.ts';
import { callerDirectory, openHome } from '../home.ts';
import { makeReady } from '../launch/make-ready.ts';
import { refuseStrangers, refuseUndecided } from '../launch/refuse.ts';
import { studyCode } from '../launch/study-code.ts';
import { openNotices } from '../notify/open-notices.ts';
import { type JobStanding, standing } from '../reconcile/decide.ts';
import { type Outcome, reconcile } from '../reconcile/loop.ts';
import type { StudyState } from '../reconcile/state.ts';
import { record, type World } from '../reconcile/world.ts';
import { registerStudy } from '../register.ts';
import { resolveSecrets } from '../secrets/resolve.ts';
import { withholdSecrets } from '../secrets/withhold.ts';
import { foldLedger, openStudyLedger } from '../session.ts';
import { hostKeyRecorder } from '../ssh/seen-host-key.ts';
import { openUploader } from '../storage/uploader.ts';
import { openStudyFile } from '../study-file.ts';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { once } from '../targets/once.ts';
import { capacityOf, openRunners, openTarget } from '../targets/open-target.ts';
import { printSummary } from '../views/summary.ts';
import { openWatch } from '../views/watch.ts';

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
  const places = home.study(plan.study);
  const ledger = await openStudyLedger(home, plan.study);
  try {
    const state = await foldLedger(places.ledger);
    refuseStrangers(plan, state);
    await registerStudy(ledger, state, planned);
    const policy = { retries: options.retries };
    const watch = openWatch({ plan, state, policy }, process.stderr);
    const detach = new AbortController();
    const onInterrupt = (): void => detach.abort();
    process.on('SIGINT', onInterrupt);
    process.on('SIGTERM', onInterrupt);
    const sources = { env: variables, locate: planned.locate, say: watch.say, signal: detach.signal };
    const secrets = once(() => resolveSecrets(plan.secrets, sources));
    let outcome: Outcome;
    const code = studyCode(planned, ledger, options);
    const archive = once(() => buildAgent(join(home.root, 'agent')));
    const recordHostKeys = hostKeyRecorder(ledger, plan.study, state.hostKeys);
    const runnerOn = openRunners(home, watch.say, (seen) => {
      // Where the ledger refuses to be written, whoever writes next to it is told.
      void recordHostKeys(seen).catch(() => undefined);
    });
    const target = openTarget(home, places, plan, { say: watch.say, code, secrets, runnerOn, archive });
    try {
      for (const torn of ledger.recovery.torn)
        watch.say(`a torn line of a former writer was set aside: ${torn.file}`);
      const open = plan.jobs.filter((job) => standing(plan, state, job, policy).is !== 'done');
      const live = open.some((job) => standing(plan, state, job, policy).is === 'live');
      const { say } = watch;
      await makeReady({ planned, open, live, home, target, runnerOn, archive, say, signal: detach.signal });
      const notices = await openNotices({ plan, state, policy, ledger, sources, inner: watch.observer });
      const uploader =
        plan.store === null
          ? null
          : await openUploader({
              ...{ spec: plan.store, study: plan.study, ledger, say, node: (name) => target.node(name) },
              record: (bodies) => record(world, bodies),
            });
      const world: World = {
        plan,
        ledger,
        state,
        target,
        capacity: capacityOf(plan, target),
        secrets,
        gangKey: (attempt: string, token: string) => gangKey(home.gangKeyFile, attempt, token),
        policy,
        until: null,
        observer: notices.observer,
        locate: planned.locate,
        signal: detach.signal,
        ...(uploader === null ? {} : { recorded: uploader.recorded, restore: uploader.restore }),
      };
      try {
        outcome = await notices.until(reconcile(world, { folder: places.requests }));
        await uploader?.drain(detach.signal);
      } finally {
        await uploader?.close();
      }
    } finally {
      watch.close();
      await target.close();
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onInterrupt);
    }
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
