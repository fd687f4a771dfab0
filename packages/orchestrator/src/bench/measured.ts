import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildBundle } from '../bundle/build.ts';
import { openHome } from '../home.ts';
import { defaultPolicy } from '../reconcile/decide.ts';
import { reconcile } from '../reconcile/loop.ts';
import type { StudyState } from '../reconcile/state.ts';
import { reportError } from '../report-error.ts';
import { foldLedger, openStudyLedger } from '../session.ts';
import { openSshRunner } from '../ssh/open-runner.ts';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { once } from '../targets/once.ts';
import { nodeNamed, startEach } from '../targets/places.ts';
import { lazyRunner } from '../targets/ssh/lazy-runner.ts';
import { openSshTarget } from '../targets/ssh/ssh-target.ts';
import type { Node, Target } from '../targets/target.ts';
import { openWatch } from '../views/watch.ts';
import { eachOf, type FleetSize, fleetPlan } from './fleet.ts';

/** What the measured process is told, as one argument. */
export type Measuring = FleetSize & { home: string };

/** What it says on its standard output, a line each. */
export type Said =
  | { is: 'running' }
  /** `commits`: after each append, the size of the ledger that is on disk, and when (Unix milliseconds). */
  | { is: 'over'; commits: [size: number, time: number][]; failed: string[] };

/**
 * The orchestrator that is measured: the loop of `her run` with its SSH, ledger and view, and nothing else but a note
 * of when each append was on disk. Only what a trainer's environment adds is left out, as no trainer runs.
 */
async function main(measuring: Measuring): Promise<void> {
  const plan = await fleetPlan(measuring);
  const home = openHome(measuring.home);
  const places = home.study(plan.study);
  const ledger = await openStudyLedger(home, plan.study);
  const commits: [number, number][] = [];
  const append = ledger.append.bind(ledger);
  ledger.append = async (bodies) => {
    const entries = await append(bodies);
    const last = entries.at(-1);
    if (last !== undefined) commits.push([last.i + 1, Date.now()]);
    return entries;
  };
  const state = await foldLedger(places.ledger);
  const watch = openWatch({ plan, state, policy: defaultPolicy }, process.stderr);
  const stop = new AbortController();
  // Whoever measures holds our standard input open: its end is theirs.
  createInterface(process.stdin).once('close', () => stop.abort());
  const target = openTarget(measuring, watch.say);
  await target.prepare([], watch.say, stop.signal);
  const ready = setInterval(() => {
    if (!allLog(state, measuring.agents)) return;
    clearInterval(ready);
    say({ is: 'running' });
  }, 500);
  try {
    const capacity = target.nodes.map(({ name: node }) => ({
      node,
      cores: eachOf(measuring),
      memoryGb: eachOf(measuring),
      gpus: 0,
    }));
    const outcome = await reconcile(
      {
        plan,
        ledger,
        state,
        target,
        capacity,
        secrets: async () => ({}),
        gangKey: async () => '',
        policy: { ...defaultPolicy, retries: 0 },
        until: null,
        observer: watch.observer,
        locate: (path) => path,
        signal: stop.signal,
      },
      { folder: places.requests },
    );
    const failed = outcome.filter(({ standing }) => standing.is !== 'done').map(({ job }) => job.name);
    say({ is: 'over', commits, failed });
  } finally {
    clearInterval(ready);
    watch.close();
    await target.close();
    await ledger.close();
    process.stdin.destroy();
  }
}

function openTarget(
  { hosts, root, home: homeRoot, ...size }: Measuring,
  notice: (line: string) => void,
): Target {
  const home = openHome(homeRoot);
  const each = eachOf({ hosts, ...size });
  const target = openSshTarget(
    'bench',
    {
      kind: 'ssh',
      hosts: [...hosts],
      addresses: {},
      root,
      storage: 'own',
      python: 'python3',
      environments: 'locked',
      cores: each,
      memory_gb: each,
    },
    (host) => lazyRunner(host, () => openSshRunner(host, { home, say: notice })),
    {
      bundle: once(async () => buildBundle(await buildAgent(join(home.root, 'agent')))),
      uv: () => Promise.reject(new TypeError('no environment is set up for a bench')),
      study: async () => 'bench',
      say: notice,
    },
  );
  const turns = inTurns(atOnce);
  const nodes = target.nodes.map(
    (node): Node => ({
      ...node,
      start: (request) => turns(() => node.start(request)),
      baseEnv: async () => ({ PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' }),
      inEnvironment: async (_, request) => request,
      fingerprint: async () => ({ digest: createHash('sha256').digest('hex'), facts: { trainer: 'none' } }),
    }),
  );
  const node = (name: string): Node => nodeNamed(nodes, name, target.name);
  return { ...target, nodes, node, startGang: startEach(node) };
}

/** Starts under way at once: the hosts of a bed share one machine, and a burst of them would take it for minutes. */
const atOnce = 4;

/** Has no more than so many things under way; the others wait. */
function inTurns(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  const lanes = Array.from({ length: most }, () => Promise.resolve());
  let next = 0;
  return (act) => {
    const lane = next++ % most;
    const done = (lanes[lane] ?? Promise.resolve()).then(act);
    lanes[lane] = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };
}

/** Whether every agent was started and the ledger has a step of each. */
function allLog(state: StudyState, agents: number): boolean {
  const attempts = [...state.jobs.values()].flatMap((job) => job.attempts);
  return attempts.length === agents && attempts.every(({ lastStep }) => lastStep !== null);
}

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

await main(JSON.parse(process.argv[2] ?? '') as Measuring).catch((error: unknown) => {
  process.exit(reportError(error, process.stderr));
});
