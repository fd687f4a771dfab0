import { openQuestions, type Plan } from '@her/configs';
import type { Ledger } from '@her/ledger';
import { type Code, collectCode } from '../bundle/code.ts';
import { exitCodes, HerError } from '../errors.ts';
import { gangKey } from '../gang-key.ts';
import { callerDirectory, openHome } from '../home.ts';
import { openNotices } from '../notify/open-notices.ts';
import { type JobStanding, standing } from '../reconcile/decide.ts';
import { type Outcome, reconcile } from '../reconcile/loop.ts';
import { latestAttempt, type StudyState } from '../reconcile/state.ts';
import { registerStudy } from '../register.ts';
import { resolveSecrets } from '../secrets/resolve.ts';
import { withholdSecrets } from '../secrets/withhold.ts';
import { foldLedger, openStudyLedger } from '../session.ts';
import { openStudyFile, type PlannedStudy } from '../study-file.ts';
import { once } from '../targets/once.ts';
import { capacityOf, openTarget } from '../targets/open-target.ts';
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
    const code = codeOf(planned, ledger, options);
    const target = openTarget(home, places, plan, { say: watch.say, code, secrets });
    try {
      for (const torn of ledger.recovery.torn)
        watch.say(`a torn line of a former writer was set aside: ${torn.file}`);
      const open = plan.jobs.filter((job) => standing(plan, state, job, policy).is !== 'done');
      const environments = [...new Set(open.map((job) => job.environment))];
      const live = open.some((job) => standing(plan, state, job, policy).is === 'live');
      if (open.length > 0)
        await target.prepare(environments, watch.say, detach.signal).catch((error: unknown) => {
          // What runs is attached to all the same; a node that is out of reach is made ready when it is needed.
          if (!live || !(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
          watch.say(error.message);
        });
      const notices = await openNotices({ plan, state, policy, ledger, sources, inner: watch.observer });
      const world = {
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
      };
      outcome = await notices.until(
        reconcile({ ...world, locate: planned.locate, signal: detach.signal }, { folder: places.requests }),
      );
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

/** The study's own code, collected once; how it differs from its commit is recorded, where that was allowed. */
function codeOf(
  { plan, locate }: PlannedStudy,
  ledger: Ledger,
  { allowDirty }: RunOptions,
): () => Promise<Code | null> {
  const { code: spec } = plan;
  if (spec === null) return async () => null;
  return async () => {
    const code = await collectCode(locate(spec.path), { allowDirty });
    const { commit, digest, dirty, submodules } = code;
    const data = {
      commit,
      digest,
      submodules,
      ...(dirty === null
        ? {}
        : { changed: dirty.files, diffBlob: await ledger.putBlob(Buffer.from(dirty.diff).toString('utf8')) }),
    };
    const text = `code of the study: commit ${commit}${dirty === null ? '' : `, with ${dirty.files.length} files changed`}`;
    await ledger.append([{ kind: 'note', study: plan.study, text, data }]);
    return code;
  };
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

/** What only a person can decide, and what this program cannot do yet, is said before anything is written. */
function refuseUndecided({ loaded, study }: PlannedStudy): void {
  const open = openQuestions(loaded.questions);
  if (open.length > 0) {
    const asked = open.map(([name, { ask }]) => `${name}: ${ask}`).join(' ');
    throw new HerError('STUDY_UNDECIDED', `questions without an answer: ${asked}`);
  }
  if (study.target.kind === 'local' && study.target.device === 'cuda')
    throw new HerError('TARGET_UNSUPPORTED', 'a local target with GPUs cannot be run on by this version', {
      hint: 'Reach this machine over SSH: `kind: ssh`, `hosts: [localhost]`.',
    });
}

/** A job that still runs under a former version of the study has no place in this plan: a person must choose. */
function refuseStrangers(plan: Plan, state: StudyState): void {
  const ids = new Set<string>(plan.jobs.map(({ id }) => id));
  const strangers = [...state.jobs.values()].filter(
    (job) => !ids.has(job.id) && latestAttempt(job)?.ended === null,
  );
  if (strangers.length === 0) return;
  throw new HerError(
    'RUN_IN_PROGRESS',
    `the study was changed while jobs of its former version run: ${strangers.map(({ id }) => id).join(', ')}`,
    {
      hint: `Stop them first: her stop --study ${plan.study}. Or put the former study file back.`,
      exitCode: exitCodes.waiting,
    },
  );
}
