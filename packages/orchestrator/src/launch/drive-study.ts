import { join } from 'node:path';
import type { Ledger } from '@her/ledger';
import { gangKey } from '../gang-key.ts';
import type { Home } from '../home.ts';
import { openNotices } from '../notify/open-notices.ts';
import { type RetryPolicy, standing } from '../reconcile/decide.ts';
import { type Outcome, reconcile } from '../reconcile/loop.ts';
import type { StudyState } from '../reconcile/state.ts';
import { record, type World } from '../reconcile/world.ts';
import { resolveSecrets } from '../secrets/resolve.ts';
import { hostKeyRecorder } from '../ssh/seen-host-key.ts';
import { openUploader } from '../storage/uploader.ts';
import type { PlannedStudy } from '../study-file.ts';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { once } from '../targets/once.ts';
import { capacityOf, openRunners, openTarget } from '../targets/open-target.ts';
import { openWatch } from '../views/watch.ts';
import { makeReady } from './make-ready.ts';
import { studyCode } from './study-code.ts';

export type Driving = {
  home: Home;
  planned: PlannedStudy;
  ledger: Ledger;
  state: StudyState;
  policy: RetryPolicy;
  /** The caller's environment, with the variables that hold secrets. */
  variables: Readonly<Record<string, string | undefined>>;
  /** The study's own code may differ from its commit. */
  allowDirty: boolean;
  /** Aborts to let go; the trainers go on. */
  signal: AbortSignal;
};

/** Opens all that a registered study needs, makes its nodes ready, and runs the loop until nothing is left to do. */
export async function driveStudy(driving: Driving): Promise<Outcome> {
  const { home, planned, ledger, state, policy, signal } = driving;
  const { plan, locate } = planned;
  const watch = openWatch({ plan, state, policy }, process.stderr);
  const { say } = watch;
  const sources = { env: driving.variables, locate, say, signal };
  const secrets = once(() => resolveSecrets(plan.secrets, sources));
  const code = studyCode(planned, ledger, driving);
  const archive = once(() => buildAgent(join(home.root, 'agent')));
  const recordHostKeys = hostKeyRecorder(ledger, plan.study, state.hostKeys);
  const runnerOn = openRunners(home, say, (seen) => {
    // Where the ledger refuses to be written, whoever writes next to it is told.
    void recordHostKeys(seen).catch(() => undefined);
  });
  const target = openTarget(home, home.study(plan.study), plan, { say, code, secrets, runnerOn, archive });
  try {
    for (const torn of ledger.recovery.torn)
      say(`a torn line of a former writer was set aside: ${torn.file}`);
    const standings = plan.jobs.map((job) => ({ job, is: standing(plan, state, job, policy).is }));
    const open = standings.flatMap(({ job, is }) => (is === 'done' ? [] : [job]));
    const live = standings.some(({ is }) => is === 'live');
    await makeReady({ planned, open, live, home, target, runnerOn, archive, say, signal });
    const notices = await openNotices({ plan, state, policy, ledger, sources, inner: watch.observer });
    const world: World = {
      ...{ plan, ledger, state, target, secrets, policy, locate, signal },
      capacity: capacityOf(plan, target),
      gangKey: (attempt, token) => gangKey(home.gangKeyFile, attempt, token),
      until: null,
      observer: notices.observer,
    };
    const requests = { folder: home.study(plan.study).requests };
    return await withUploads(world, say, (storing) => notices.until(reconcile(storing, requests)));
  } finally {
    watch.close();
    await target.close();
  }
}

/** Stores checkpoints beside what `act` does, where the study names a store, and those that are left after it. */
async function withUploads(
  world: World,
  say: (line: string) => void,
  act: (world: World) => Promise<Outcome>,
): Promise<Outcome> {
  const { plan, ledger, target, signal } = world;
  if (plan.store === null) return await act(world);
  const uploader = await openUploader({
    ...{ spec: plan.store, study: plan.study, ledger, say },
    node: (name) => target.node(name),
    record: (bodies) => record(storing, bodies),
  });
  const { recorded, restore } = uploader;
  const storing: World = { ...world, recorded, restore };
  try {
    const outcome = await act(storing);
    await uploader.drain(signal);
    return outcome;
  } finally {
    await uploader.close();
  }
}
