import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { memberId } from '../../packages/orchestrator/src/agent/members.ts';
import type { StartRequest } from '../../packages/orchestrator/src/agent/protocol.ts';
import { openHome } from '../../packages/orchestrator/src/home.ts';
import { openSshRunner } from '../../packages/orchestrator/src/ssh/open-runner.ts';
import { buildAgent } from '../../packages/orchestrator/src/targets/local/agent-archive.ts';
import type { SlurmSettings } from '../../packages/orchestrator/src/targets/slurm/settings.ts';
import {
  openSlurmTarget,
  type SlurmTarget,
} from '../../packages/orchestrator/src/targets/slurm/slurm-target.ts';
import { lazyRunner } from '../../packages/orchestrator/src/targets/ssh/lazy-runner.ts';
import { computeHosts, openBed } from './bed.ts';

type Event = { seq: number; type: string; [field: string]: unknown };
type Changes = Partial<SlurmSettings>;

export type SlurmBed = Awaited<ReturnType<typeof openSlurmBed>>;

/** Targets over the Slurm of the bed, on two of its hosts, with the stand-in `saving-trainer.py` as what runs there. */
export async function openSlurmBed() {
  const found = await openBed();
  const [first, second] = computeHosts(found, 2);
  if (first === undefined || second === undefined) throw new Error('the bed needs two hosts');
  const hosts: [string, string] = [first, second];
  process.env['HER_SSH_CONFIG'] = found.ssh.config;
  const root = await mkdtemp(join(found.shared, 'slurm-'));
  const folder = await mkdtemp(join(tmpdir(), 'her-slurm-'));
  const agent = await buildAgent(join(root, 'bundle'));
  const trainer = await readFile(join(import.meta.dirname, 'saving-trainer.py'), 'utf8');
  const opened: SlurmTarget[] = [];
  let counter = 0;

  function open(changes: Changes = {}, secrets: Record<string, string> = {}): SlurmTarget {
    const runner = lazyRunner('login', () => openSshRunner('login', { home: openHome(folder) }));
    const target = openSlurmTarget({
      name: 'cluster',
      settings: {
        nodes: 1,
        signal_seconds: 20,
        cores: 1,
        memory_gb: 1,
        options: { nodelist: hosts[0] },
        ...changes,
      },
      root: async () => root,
      runner,
      call: async () => ({ runner, python: 'python3', agent }),
      prepare: async () => undefined,
      bring: async () => {
        throw new Error('nothing is brought');
      },
      fingerprint: async () => ({ digest: '0'.repeat(64), facts: { host: hostname() } }),
      baseEnv: async () => ({}),
      secrets: async () => secrets,
      pace: { queue: 1_000, settle: 1_000 },
    });
    opened.push(target);
    return target;
  }

  function newAttempt(): string {
    counter += 1;
    return `${process.pid.toString(16).padStart(16, '0')}-${counter}`;
  }

  function requestOf(attempt: string, steps: number, pause: number): StartRequest {
    return {
      protocol: 1,
      attempt,
      token: `token of ${attempt}`,
      job: { id: '0123456789abcdef', name: 'a stand-in' },
      files: { 'trainer.py': trainer },
      inputs: [],
      ranks: [{ argv: ['python3', 'trainer.py', String(steps), String(pause)] }],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      secrets: {},
      metrics: [{ format: 'plain', path: 'out/metrics.jsonl' }],
      checkpoints: null,
      seeds: null,
      outputs: [],
      limits: { firstStepSeconds: 60, silenceSeconds: 60, graceSeconds: 10, heartbeatSeconds: 1 },
    };
  }

  function gangOf(attempt: string, steps: number, pause: number): Map<string, StartRequest> {
    const requests = [0, 1].map((index): [string, StartRequest] => [
      `n${index}`,
      {
        ...requestOf(attempt, steps, pause),
        attempt: memberId(attempt, index),
        gang: {
          ...{ index, size: 2, main: attempt, address: '' },
          ...{ linkPort: 21_234, port: 21_235, launcher: 'torchrun' as const, gpusPerNode: 0, cores: 1 },
        },
        gangKey: 'f'.repeat(64),
      },
    ]);
    return new Map(requests);
  }

  /** All events until the end, as whoever follows gets them: an end that nobody left is written in between. */
  async function eventsOf(target: SlurmTarget, attempt: string, node = 'n0'): Promise<Event[]> {
    const events: Event[] = [];
    const enough = AbortSignal.timeout(150_000);
    while (events.at(-1)?.type !== 'ended' && !enough.aborted) {
      const from = (events.at(-1)?.seq ?? 0) + 1;
      for await (const line of target.node(node).events(attempt, from, enough)) {
        events.push(JSON.parse(line));
        if (events.at(-1)?.type === 'ended') break;
      }
      if (events.at(-1)?.type === 'ended') break;
      const { health } = await target.node(node).status(attempt);
      if (health === 'lost') await target.node(node).reap(attempt, 1);
    }
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    return events;
  }

  /** The end of an attempt, written by its agent or, where Slurm says that it is over, in its place. */
  async function ending(target: SlurmTarget, attempt: string): Promise<Event> {
    for (;;) {
      const { health } = await target.node('n0').status(attempt);
      if (health === 'lost') await target.node('n0').reap(attempt, 1);
      if (health === 'ended') break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return (await linesOf(attempt)).at(-1) ?? { seq: 0, type: 'none' };
  }

  async function linesOf(attempt: string): Promise<Event[]> {
    const text = await readFile(join(root, 'attempts', attempt, 'events.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  async function saw(attempt: string, type: string): Promise<boolean> {
    return (await linesOf(attempt)).some((event) => event.type === type);
  }

  async function savedStep(attempt: string): Promise<number> {
    return Number(await readFile(join(root, 'attempts', attempt, 'out', 'saved.txt'), 'utf8'));
  }

  /** The job that ran an attempt, as Slurm names it; undefined where none has. */
  async function claimedBy(attempt: string): Promise<string | undefined> {
    const claim = join(root, 'slurm', 'attempts', attempt, 'claim.json');
    return readFile(claim, 'utf8').then(
      (text) => JSON.parse(text).job,
      () => undefined,
    );
  }

  async function onLogin(...argv: string[]): Promise<string> {
    return (await execa('ssh', ['-F', found.ssh.config, 'login', argv.join(' ')])).stdout;
  }

  async function jobsNamed(name: string): Promise<string[]> {
    const rows = await onLogin('squeue', '--noheader', '--states=all', `--name=${name}`, '--format=%F');
    return rows.split('\n').filter(Boolean);
  }

  async function allBut(host: string): Promise<string> {
    const others = found.hosts.filter(({ role, name }) => role === 'compute' && name !== host);
    return others.map(({ name }) => name).join(',');
  }

  async function close(): Promise<void> {
    for (const target of opened) await target.close();
    await onLogin('scancel', `--nodelist=${hosts.join(',')}`, '--state=RUNNING').catch(() => undefined);
    await rm(root, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
    await found.close();
  }

  return {
    ...{
      hosts,
      root,
      folder,
      open,
      newAttempt,
      requestOf,
      gangOf,
      eventsOf,
      ending,
      saw,
      savedStep,
      claimedBy,
    },
    ...{ onLogin, jobsNamed, allBut, close },
  };
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 200));
}
