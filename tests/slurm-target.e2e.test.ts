import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memberId } from '../packages/orchestrator/src/agent/members.ts';
import type { StartRequest } from '../packages/orchestrator/src/agent/protocol.ts';
import { buildAgent } from '../packages/orchestrator/src/targets/local/agent-archive.ts';
import type { SlurmSettings } from '../packages/orchestrator/src/targets/slurm/settings.ts';
import {
  openSlurmTarget,
  type SlurmTarget,
} from '../packages/orchestrator/src/targets/slurm/slurm-target.ts';
import { bed, slurmBed, sshRunner } from './support/test-bed.ts';

const found = await slurmBed();
const lacking = typeof found === 'string' ? found : null;
if (lacking !== null && process.env['CI'] === 'true') throw new Error(`Slurm cannot be tested: ${lacking}`);
if (lacking !== null) process.stderr.write(`Slurm is not tested: ${lacking}.\n`);

type Event = { seq: number; type: string; [field: string]: unknown };
const secret = 'a-value-that-nobody-may-see';

let root = '';
let folder = '';
let agent = '';
let hosts: [string, string] = ['', ''];
let trainer = '';
let counter = 0;
const opened: SlurmTarget[] = [];

describe.skipIf(lacking !== null)('a real Slurm', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    if (typeof found === 'string') return;
    const named = process.env['HER_TESTBED_NODES']?.split(',');
    const computing = named ?? found.hosts.filter(({ role }) => role === 'compute').map(({ name }) => name);
    const [first, second] = computing.slice(-2);
    if (first === undefined || second === undefined) throw new Error('the bed needs two hosts');
    hosts = [first, second];
    root = await mkdtemp(join(found.shared, 'slurm-'));
    folder = await mkdtemp(join(tmpdir(), 'her-slurm-'));
    agent = await buildAgent(join(root, 'bundle'));
    trainer = await readFile(join(import.meta.dirname, 'support', 'saving-trainer.py'), 'utf8');
  });

  afterAll(async () => {
    for (const target of opened) await target.close();
    if (root === '') return;
    await onLogin('scancel', `--nodelist=${hosts.join(',')}`, '--state=RUNNING').catch(() => undefined);
    await rm(root, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  test('submitted twice, also by two at once, it is one job; it runs, and its events come through', async () => {
    const target = open();
    const other = open();
    const request = requestOf(newAttempt(), 3, 0.2);
    const replies = await Promise.all([
      target.startGang(new Map([['n0', request]])),
      other.startGang(new Map([['n0', request]])),
    ]);
    expect(replies.map((reply) => reply.get('n0')?.state).sort()).toEqual(['already', 'started']);
    expect((await other.startGang(new Map([['n0', request]]))).get('n0')?.state).toBe('already');
    const events = await eventsOf(target, request.attempt);
    expect(events.filter(({ type }) => type === 'metric').map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0, reason: 'exited' });
    expect(events.find(({ type }) => type === 'started')).toMatchObject({ host: hosts[0] });
    expect(await target.node('n0').status(request.attempt)).toMatchObject({ health: 'ended', code: 0 });
    expect(await jobsNamed(`her-${request.attempt}`)).toHaveLength(1);
    await expect(target.startGang(new Map([['n0', { ...request, token: 'another' }]]))).rejects.toMatchObject(
      { agentCode: 'other-token' },
    );
  });

  test('nothing of the submitter reaches the ranks, and no secret reaches a file', async () => {
    const target = open({}, { TOKEN: secret });
    const request = { ...requestOf(newAttempt(), 2, 0.2), secrets: { TOKEN: secret } };
    const begun = Date.now();
    await target.startGang(new Map([['n0', request]]));
    const events = await eventsOf(target, request.attempt);
    expect(events[0]).toMatchObject({ type: 'waiting', for: 'secrets', names: ['TOKEN'] });
    expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0 });
    const log = await readFile(join(root, 'attempts', request.attempt, 'logs', 'rank-0.log'), 'utf8');
    expect(JSON.parse(/environment (.*)/.exec(log)?.[1] ?? '[]')).toEqual([
      'HER_ATTEMPT',
      'HER_ATTEMPT_FOLDER',
      ...(log.includes('LC_CTYPE') ? ['LC_CTYPE'] : []),
      'PATH',
      'RAY_TMPDIR',
      'TMPDIR',
      'TOKEN',
    ]);
    const { stdout } = await execa('grep', ['-rl', secret, root], { reject: false });
    expect(stdout).toBe('');
    process.stderr.write(`secrets: handed in and ended after ${Date.now() - begun} ms\n`);
  });

  test('a job that waits says why, and a stop takes it out of the queue', async () => {
    const target = open({ options: { nodelist: hosts[0], begin: 'now+1hour' } });
    const request = requestOf(newAttempt(), 3, 0.2);
    await target.startGang(new Map([['n0', request]]));
    const standing = await target.standing(request.attempt);
    expect(standing?.state).toMatchObject({ is: 'pending', word: 'PENDING', reason: 'BeginTime' });
    expect(standing?.words).toMatch(/waits in Slurm's queue: BeginTime; expected to start 20/);
    expect(await target.node('n0').status(request.attempt)).toMatchObject({ health: 'running' });
    await target.node('n0').stop(request.attempt, 'a person said so', 5);
    expect(await ending(target, request.attempt)).toMatchObject({
      reason: 'stopped',
      message: 'a person said so',
      code: null,
    });
  });

  test('a stop of what runs lets the trainer save', async () => {
    const target = open();
    const request = requestOf(newAttempt(), 600, 0.2);
    await target.startGang(new Map([['n0', request]]));
    await until(() => saw(request.attempt, 'metric'));
    const asked = Date.now();
    await target.node('n0').stop(request.attempt, 'a person said so', 20);
    expect(await ending(target, request.attempt)).toMatchObject({
      reason: 'stopped',
      message: 'a person said so',
    });
    process.stderr.write(`stop: ended after ${Date.now() - asked} ms\n`);
    expect(await savedStep(request.attempt)).toBeGreaterThan(0);
  });

  test('what is cancelled behind our back ends as cancelled, and by whom', async () => {
    const target = open({ options: { nodelist: hosts[0], begin: 'now+1hour' } });
    const waiting = requestOf(newAttempt(), 3, 0.2);
    await target.startGang(new Map([['n0', waiting]]));
    await onLogin('scancel', `--name=her-${waiting.attempt}`);
    expect(await ending(target, waiting.attempt)).toMatchObject({
      reason: 'cancelled',
      message: 'Slurm says of its job: CANCELLED by user 0',
    });
  });

  test('the signal before the time limit lets the trainer save, and the end says so', async () => {
    const target = open({ partition: 'short', signal_seconds: 30 });
    const request = requestOf(newAttempt(), 600, 0.2);
    await target.startGang(new Map([['n0', request]]));
    const events = await eventsOf(target, request.attempt);
    expect(events.at(-1)).toMatchObject({ type: 'ended', reason: 'time-limit' });
    expect(await savedStep(request.attempt)).toBeGreaterThan(0);
  });

  test('seeds that are started together are one array, and each can be cancelled by itself', async () => {
    const array = open({ options: { exclude: await allBut(hosts[0]) } });
    const requests = [requestOf(newAttempt(), 600, 0.2), requestOf(newAttempt(), 3, 0.2)] as const;
    await Promise.all(requests.map((request) => array.startGang(new Map([['n0', request]]))));
    const jobs = await Promise.all(requests.map(({ attempt }) => array.standing(attempt)));
    expect(jobs.map((job) => job?.job.split('_')[1])).toEqual(['0', '1']);
    expect(new Set(jobs.map((job) => job?.job.split('_')[0])).size).toBe(1);
    await array.node('n0').stop(requests[0].attempt, 'one seed', 10);
    expect(await ending(array, requests[0].attempt)).toMatchObject({ reason: 'stopped' });
    expect((await eventsOf(array, requests[1].attempt)).at(-1)).toMatchObject({ code: 0, reason: 'exited' });
  });

  test('a refusal of Slurm is one line, and nothing was submitted', async () => {
    const target = open({ partition: 'nowhere' });
    const request = requestOf(newAttempt(), 3, 0.2);
    await expect(target.startGang(new Map([['n0', request]]))).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      agentCode: 'slurm-refused',
      message: expect.stringMatching(/invalid partition/i),
    });
    expect(await jobsNamed(`her-${request.attempt}`)).toEqual([]);
    expect(await target.node('n0').status(request.attempt)).toMatchObject({ health: 'absent' });
  });

  test('both nodes of a gang start, once each', async () => {
    const target = open({ nodes: 2, options: { nodelist: hosts.join(',') } });
    const attempt = newAttempt();
    await target.startGang(gangOf(attempt, 10, 0.2));
    for (const index of [0, 1]) {
      const events = await eventsOf(target, memberId(attempt, index), `n${index}`);
      expect(events.find(({ type }) => type === 'started')).toMatchObject({ host: hosts[index] });
      expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0 });
    }
    for (const host of hosts) {
      const ran = await readFile(join(root, 'attempts', attempt, 'out', `ran-on-${host}.txt`), 'utf8');
      expect(ran.trim().split('\n')).toHaveLength(1);
    }
    expect(await readFile(join(root, 'slurm', 'attempts', attempt, 'gang'), 'utf8')).toBe('');
  });

  test('a node that dies ends the attempt as such', async () => {
    const target = open({ options: { nodelist: hosts[1] } });
    const request = requestOf(newAttempt(), 600, 0.2);
    await target.startGang(new Map([['n0', request]]));
    await until(() => saw(request.attempt, 'metric'));
    const crashed = Date.now();
    await bed('crash', hosts[1]);
    try {
      expect(await ending(target, request.attempt)).toMatchObject({
        reason: 'node-fail',
        message: `Slurm says of its job: NODE_FAIL on ${hosts[1]}`,
      });
      process.stderr.write(`node failure: known after ${Date.now() - crashed} ms\n`);
    } finally {
      await bed('boot', hosts[1]);
      await onLogin('scontrol', 'update', `nodename=${hosts[1]}`, 'state=resume').catch(() => undefined);
    }
  });
});

type Changes = Partial<SlurmSettings>;

function open(changes: Changes = {}, secrets: Record<string, string> = {}): SlurmTarget {
  if (typeof found === 'string') throw new Error(found);
  const runner = sshRunner(found.ssh.config, 'login', join(folder, 'ssh'));
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

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 200));
}

async function savedStep(attempt: string): Promise<number> {
  return Number(await readFile(join(root, 'attempts', attempt, 'out', 'saved.txt'), 'utf8'));
}

async function onLogin(...argv: string[]): Promise<string> {
  if (typeof found === 'string') return '';
  return (await execa('ssh', ['-F', found.ssh.config, 'login', argv.join(' ')])).stdout;
}

async function jobsNamed(name: string): Promise<string[]> {
  const rows = await onLogin('squeue', '--noheader', '--states=all', `--name=${name}`, '--format=%F');
  return rows.split('\n').filter(Boolean);
}

async function allBut(host: string): Promise<string> {
  if (typeof found === 'string') return '';
  const others = found.hosts.filter(({ role, name }) => role === 'compute' && name !== host);
  return others.map(({ name }) => name).join(',');
}
