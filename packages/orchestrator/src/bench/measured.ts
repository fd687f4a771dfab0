import { setTimeout as wait } from 'node:timers/promises';
import { readEntries } from '@her/ledger';
import { openHome } from '../home.ts';
import { defaultPolicy } from '../reconcile/decide.ts';
import { reconcile } from '../reconcile/loop.ts';
import type { StudyState } from '../reconcile/state.ts';
import { foldLedger, openStudyLedger } from '../session.ts';
import { openWatch } from '../views/watch.ts';
import { type FleetSize, fleetOf, startedEntries } from './fleet.ts';
import { openFleetTarget } from './fleet-target.ts';
import { type Lags, lagsOf } from './lags.ts';

/** What a process took that does nothing but run the loop. */
export type Measured = {
  seconds: number;
  cpuSeconds: number;
  /** The most that was resident at once, and what was at the beginning of the measurement. */
  rssMb: number;
  rssBeginMb: number;
  entries: number;
  lags: Lags;
};

/** Seconds within which every stream must be open and what was written before must be read. */
const patience = 120;

/** The loop of `her run`, attached to all agents of the fleet. Its figures go to standard output as JSON. */
async function measure(root: string, agent: string, size: FleetSize, seconds: number): Promise<Measured> {
  const { plan, hosts, members } = fleetOf(size);
  const home = openHome(root);
  const places = home.study(plan.study);
  const ledger = await openStudyLedger(home, plan.study);
  await ledger.append(startedEntries(members));
  const state = await foldLedger(places.ledger);
  const watch = openWatch({ plan, state, policy: defaultPolicy }, process.stderr);
  const stop = new AbortController();
  const room = { cores: 1e6, memoryGb: 1e6, gpus: 0 };
  const running = reconcile(
    {
      plan,
      ledger,
      state,
      target: openFleetTarget(root, hosts, agent),
      capacity: hosts.map((node) => ({ node, ...room })),
      secrets: async () => ({}),
      gangKey: async () => '',
      policy: defaultPolicy,
      until: null,
      observer: watch.observer,
      locate: (path) => path,
      signal: stop.signal,
    },
    { folder: places.requests },
  );
  await Promise.race([running, caughtUp(state)]);
  const rssBegin = process.memoryUsage.rss();
  let rss = rssBegin;
  const sampler = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 200);
  const [first, begin, cpu] = [ledger.size, performance.now(), process.cpuUsage()];
  await Promise.race([running, wait(seconds * 1000)]);
  const { user, system } = process.cpuUsage(cpu);
  const took = (performance.now() - begin) / 1000;
  const last = ledger.size;
  clearInterval(sampler);
  stop.abort();
  await running;
  watch.close();
  await ledger.close();
  const lags: number[] = [];
  for await (const entry of readEntries(places.ledger, { from: first, to: last })) {
    if (entry.kind !== 'metric' || entry.at === undefined) continue;
    lags.push(Date.parse(entry.time) - Date.parse(entry.at));
  }
  return {
    seconds: took,
    cpuSeconds: (user + system) / 1e6,
    rssMb: rss / 2 ** 20,
    rssBeginMb: rssBegin / 2 ** 20,
    entries: last - first,
    lags: lagsOf(lags),
  };
}

/** Returns once the newest step of every attempt is less than a second old. */
async function caughtUp(state: StudyState): Promise<void> {
  const until = Date.now() + patience * 1000;
  const fresh = (time: string | undefined): boolean =>
    time !== undefined && Date.now() - Date.parse(time) < 1000;
  while (Date.now() < until) {
    const attempts = [...state.jobs.values()].flatMap((job) => job.attempts);
    if (attempts.every((attempt) => fresh(attempt.stepTimes?.last.time))) return;
    await wait(100);
  }
  throw new Error(`the loop did not catch up with its agents within ${patience} s`);
}

const [root = '', agent = '', hosts = '', each = '', seconds = ''] = process.argv.slice(2);
const size = { hosts: Number(hosts), each: Number(each) };
process.stdout.write(`${JSON.stringify(await measure(root, agent, size, Number(seconds)))}\n`);
