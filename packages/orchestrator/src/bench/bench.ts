import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyLedger } from '@her/ledger';
import { openHome } from '../home.ts';
import type { Asked } from './asked.ts';
import { type NodeTimes, openNodes } from './nodes.ts';
import { type Orchestrator, startOrchestrator } from './orchestrator.ts';
import { loadOfLastMinute, machineTimes, processors, takenBy } from './proc.ts';
import { readRecorded } from './recorded.ts';
import { judge, type Report } from './report.ts';

/** Seconds for starting the agents, beside warm-up and measurement, after which trainers end by themselves. */
const patience = 300;
/** Milliseconds between two looks at the memory. */
const pace = 200;
/**
 * Milliseconds between what happens on the hosts (a look at their processes, their end) and the window: on a bed all
 * of them share the processors of this machine, and what that takes is nothing of what is measured.
 */
const apart = 5_000;

/** Starts the agents and the orchestrator, measures, has all of it end, and counts what the ledger holds. */
export async function bench(
  asked: Asked & { hosts: string[] },
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Report> {
  const { hosts, agents, rate, seconds, warmUp } = asked;
  const loadBefore = await loadOfLastMinute();
  const home = await mkdtemp(join(tmpdir(), 'her-bench-'));
  const root = `/tmp/her-bench-${randomBytes(6).toString('hex')}`;
  const nodes = await openNodes(hosts, root, home);
  const log = join(home, 'orchestrator.log');
  const most = patience + warmUp + seconds;
  let orchestrator: Orchestrator | undefined;
  try {
    say(`starting ${agents} agents`);
    orchestrator = startOrchestrator(
      { hosts, agents, rate, root, most, home },
      { profile: asked.profile, log },
    );
    await unlessLetGo(orchestrator.running, signal);
    say(`all of them run; ${warmUp} s to warm up, then ${seconds} s are measured`);
    await wait(warmUp * 1000, undefined, { signal });
    const window = await unlessLetGo(measure(orchestrator, nodes.times, seconds), signal);
    say('ending them');
    await nodes.end();
    const { commits, failed } = await orchestrator.over;
    const written = await nodes.written();
    say('counting what the ledger holds');
    const ledger = openHome(home).study('bench').ledger;
    const recorded = await readRecorded(ledger, commits, window.span);
    const verified = await verifyLedger(ledger);
    const total = (steps: ReadonlyMap<string, number>) => [...steps.values()].reduce((sum, n) => sum + n, 0);
    const { count, model } = processors();
    const report = {
      asked: { hosts, agents, rate, seconds, warmUp },
      machine: { processors: count, model, node: process.version, loadBefore, busy: window.busy },
      seconds: window.seconds,
      orchestrator: window.orchestrator,
      nodes: window.nodes,
      metrics: {
        written: total(written),
        recorded: recorded.count,
        missing: recorded.missing,
        doubled: recorded.doubled,
        perSecond: recorded.fromEvent.count / window.seconds,
      },
      fromEvent: recorded.fromEvent,
      fromLine: recorded.fromLine,
      ledger: { entries: verified.size, whole: verified.ok },
      failed,
    };
    return { ...report, verdict: judge(report) };
  } catch (error) {
    if (signal.aborted) throw error;
    say((await readFile(log, 'utf8').catch(() => '')).split('\n').slice(-12).join('\n'));
    throw error;
  } finally {
    await orchestrator?.end();
    for (const host of await nodes.clear()) say(`${host}: ${root} could not be removed`);
    await rm(home, { recursive: true, force: true });
  }
}

async function measure({ pid }: Orchestrator, nodeTimes: () => Promise<NodeTimes>, seconds: number) {
  const nodesBefore = { ...(await nodeTimes()), when: Date.now() };
  await wait(apart);
  const [machineBefore, before, begin] = [await machineTimes(), await takenBy(pid), Date.now()];
  let [rssMb, processes] = [0, 0];
  while (Date.now() < begin + seconds * 1000) {
    await wait(Math.max(0, Math.min(pace, begin + seconds * 1000 - Date.now())));
    const now = await takenBy(pid);
    rssMb = Math.max(rssMb, now.rssMb);
    processes = Math.max(processes, now.processes);
  }
  const [end, after, machineAfter] = [Date.now(), await takenBy(pid), await machineTimes()];
  await wait(apart);
  const nodesAfter = { ...(await nodeTimes()), when: Date.now() };
  const took = (end - begin) / 1000;
  const userCores = (after.userSeconds - before.userSeconds) / took;
  const systemCores = (after.systemSeconds - before.systemSeconds) / took;
  const nodesTook = (nodesAfter.when - nodesBefore.when) / 1000;
  const cores = (kind: keyof NodeTimes): number => (nodesAfter[kind] - nodesBefore[kind]) / nodesTook;
  return {
    span: [begin, end] as const,
    seconds: took,
    busy: (machineAfter.busy - machineBefore.busy) / (machineAfter.all - machineBefore.all),
    orchestrator: {
      cores: userCores + systemCores,
      userCores,
      systemCores,
      rssMb,
      peakMb: Math.max(rssMb, after.peakMb),
      processes,
    },
    nodes: {
      agents: cores('agents'),
      streams: cores('streams'),
      writers: cores('writers'),
      sshd: cores('sshd'),
    },
  };
}

/** Waits, but not past a person's Ctrl-C: what was started is ended then. */
async function unlessLetGo<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const letGo = Promise.withResolvers<never>();
  const stop = (): void => letGo.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, letGo.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
