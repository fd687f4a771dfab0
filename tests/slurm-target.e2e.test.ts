import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memberId } from '../packages/orchestrator/src/agent/members.ts';
import type { SlurmTarget } from '../packages/orchestrator/src/targets/slurm/slurm-target.ts';
import { batchName } from '../packages/orchestrator/src/targets/slurm/submissions.ts';
import { bed, bedlessReason } from './support/bed.ts';
import { openSlurmBed, type SlurmBed, until } from './support/slurm-bed.ts';
import { runThrough } from './support/slurm-loop.ts';

const lacking = bedlessReason('Slurm');

const secret = 'a-value-that-nobody-may-see';
const hungry = `
import time
time.sleep(3)
taken = bytearray(b'x') * (600 << 20)
time.sleep(60)
`;

let slurm: SlurmBed;

describe.skipIf(lacking !== null)('a real Slurm', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    slurm = await openSlurmBed();
  }, 900_000);

  afterAll(() => slurm?.close(), 120_000);

  test('submitted twice, also by two at once, it is one job; it runs, and its events come through', async () => {
    const target = slurm.open();
    const other = slurm.open();
    const request = slurm.requestOf(slurm.newAttempt(), 3, 0.2);
    const replies = await Promise.all([
      target.startGang(new Map([['n0', request]])),
      other.startGang(new Map([['n0', request]])),
    ]);
    expect(replies.map((reply) => reply.get('n0')?.state).sort()).toEqual(['already', 'started']);
    expect((await other.startGang(new Map([['n0', request]]))).get('n0')?.state).toBe('already');
    const events = await slurm.eventsOf(target, request.attempt);
    expect(events.filter(({ type }) => type === 'metric').map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0, reason: 'exited' });
    expect(events.find(({ type }) => type === 'started')).toMatchObject({ host: slurm.hosts[0] });
    expect(await target.node('n0').status(request.attempt)).toMatchObject({ health: 'ended', code: 0 });
    expect(await slurm.jobsNamed(batchName([request]))).toHaveLength(1);
    await expect(target.startGang(new Map([['n0', { ...request, token: 'another' }]]))).rejects.toMatchObject(
      { agentCode: 'other-token' },
    );
  });

  test('nothing of the submitter reaches the ranks, and no secret reaches a file', async () => {
    const target = slurm.open({}, { TOKEN: secret });
    const request = { ...slurm.requestOf(slurm.newAttempt(), 2, 0.2), secrets: { TOKEN: secret } };
    const begun = Date.now();
    await target.startGang(new Map([['n0', request]]));
    const events = await slurm.eventsOf(target, request.attempt);
    expect(events[0]).toMatchObject({ type: 'waiting', for: 'secrets', names: ['TOKEN'] });
    expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0 });
    const log = await readFile(join(slurm.root, 'attempts', request.attempt, 'logs', 'rank-0.log'), 'utf8');
    expect(JSON.parse(/environment (.*)/.exec(log)?.[1] ?? '[]')).toEqual([
      'HER_ATTEMPT',
      'HER_ATTEMPT_FOLDER',
      ...(log.includes('LC_CTYPE') ? ['LC_CTYPE'] : []),
      'PATH',
      'RAY_TMPDIR',
      'TMPDIR',
      'TOKEN',
    ]);
    const { stdout } = await execa('grep', ['-rl', secret, slurm.root], { reject: false });
    expect(stdout).toBe('');
    process.stderr.write(`secrets: handed in and ended after ${Date.now() - begun} ms\n`);
  });

  test('a job that waits says why, and a stop takes it out of the queue', async () => {
    const target = slurm.open({ options: { nodelist: slurm.hosts[0], begin: 'now+1hour' } });
    const request = slurm.requestOf(slurm.newAttempt(), 3, 0.2);
    await target.startGang(new Map([['n0', request]]));
    const standing = await target.standing(request.attempt);
    expect(standing?.state).toMatchObject({ is: 'pending', word: 'PENDING', reason: 'BeginTime' });
    expect(standing?.words).toMatch(/waits in Slurm's queue: BeginTime; expected to start 20/);
    expect(await target.node('n0').status(request.attempt)).toMatchObject({ health: 'running' });
    await target.node('n0').stop(request.attempt, 'a person said so', 5);
    expect(await slurm.ending(target, request.attempt)).toMatchObject({
      reason: 'stopped',
      message: 'a person said so',
      code: null,
    });
  });

  test('a stop of what runs lets the trainer save', async () => {
    const target = slurm.open();
    const request = slurm.requestOf(slurm.newAttempt(), 600, 0.2);
    await target.startGang(new Map([['n0', request]]));
    await until(() => slurm.saw(request.attempt, 'metric'));
    const asked = Date.now();
    await target.node('n0').stop(request.attempt, 'a person said so', 20);
    expect(await slurm.ending(target, request.attempt)).toMatchObject({
      reason: 'stopped',
      message: 'a person said so',
    });
    process.stderr.write(`stop: ended after ${Date.now() - asked} ms\n`);
    expect(await slurm.savedStep(request.attempt)).toBeGreaterThan(0);
  });

  test('what is cancelled behind our back ends as cancelled, and by whom', async () => {
    const target = slurm.open({ options: { nodelist: slurm.hosts[0], begin: 'now+1hour' } });
    const waiting = slurm.requestOf(slurm.newAttempt(), 3, 0.2);
    await target.startGang(new Map([['n0', waiting]]));
    await slurm.onLogin('scancel', `--name=${batchName([waiting])}`);
    expect(await slurm.ending(target, waiting.attempt)).toMatchObject({
      reason: 'cancelled',
      message: 'Slurm says of its job: CANCELLED by user 0',
    });
    const running = slurm.requestOf(slurm.newAttempt(), 600, 0.2);
    const other = slurm.open();
    await other.startGang(new Map([['n0', running]]));
    await until(() => slurm.saw(running.attempt, 'metric'));
    await slurm.onLogin('scancel', `--name=${batchName([running])}`);
    expect(await slurm.ending(other, running.attempt)).toMatchObject({ reason: 'cancelled' });
  });

  test.concurrent('the signal before the time limit lets the trainer save, and the loop submits what is left as a new job', async () => {
    const target = slurm.open({ partition: 'short', signal_seconds: 30 });
    const ends: string[] = [];
    const { attempts } = await runThrough(slurm, target, ends);
    expect(ends).toEqual([expect.stringContaining('the time limit of its allocation was near'), '']);
    expect(attempts.map(({ ended }) => ended?.reason)).toEqual(['time-limit', 'exited']);
    const [first] = attempts;
    expect(await slurm.savedStep(first?.id ?? '')).toBeGreaterThan(0);
    for (const { id, token } of attempts)
      expect(await slurm.jobsNamed(batchName([{ attempt: id, token }]))).toHaveLength(1);
  });

  test('a job that takes more memory than it asked for ends as that', async () => {
    const target = slurm.open({ memory_gb: 0.2, options: { nodelist: slurm.hosts[0], 'acctg-freq': 1 } });
    const request = slurm.requestOf(slurm.newAttempt(), 600, 0.2);
    request.files = { 'trainer.py': hungry };
    await target.startGang(new Map([['n0', request]]));
    expect(await slurm.ending(target, request.attempt)).toMatchObject({ reason: 'out-of-memory' });
  });

  test('a job that is preempted is told why it must end, and saves', async () => {
    const target = slurm.open();
    const request = slurm.requestOf(slurm.newAttempt(), 600, 0.2);
    await target.startGang(new Map([['n0', request]]));
    await until(() => slurm.saw(request.attempt, 'metric'));
    const urgent = [
      '--partition=urgent',
      `--nodelist=${slurm.hosts[0]}`,
      '--exclusive',
      '--output=/dev/null',
    ];
    const job = await slurm.onLogin('sbatch', '--parsable', ...urgent, "--wrap='sleep 1'");
    try {
      const end = await slurm.ending(target, request.attempt);
      expect(end).toMatchObject({ reason: 'preempted' });
      expect(await slurm.savedStep(request.attempt)).toBeGreaterThan(0);
    } finally {
      await slurm.onLogin('scancel', job);
    }
  });

  test('while the controller does not answer, what runs is followed, and nothing is said of its job', async () => {
    const target = slurm.open();
    const request = slurm.requestOf(slurm.newAttempt(), 600, 0.1);
    await target.startGang(new Map([['n0', request]]));
    await until(() => slurm.saw(request.attempt, 'metric'));
    await slurm.onLogin('pkill', '-STOP', '-x', 'slurmctld');
    try {
      const asked = target.node('n0').status(request.attempt);
      const failed = expect(asked).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
      let lines = 0;
      for await (const line of target.node('n0').events(request.attempt, 1, AbortSignal.timeout(20_000)))
        if (JSON.parse(line).type === 'metric' && ++lines > 40) break;
      expect(lines).toBeGreaterThan(40);
      await failed;
    } finally {
      await slurm.onLogin('pkill', '-CONT', '-x', 'slurmctld');
    }
    await target.node('n0').stop(request.attempt, 'enough', 5);
    expect(await slurm.ending(target, request.attempt)).toMatchObject({ reason: 'stopped' });
  });

  test('seeds that are started together are one array, and each can be cancelled by itself', async () => {
    const array = slurm.open({ options: { exclude: await slurm.allBut(slurm.hosts[0]) } });
    const [first, second] = await startTwo(array);
    await until(() => slurm.saw(first, 'metric'));
    await array.node('n0').stop(first, 'one seed', 10);
    expect(await slurm.ending(array, first)).toMatchObject({ reason: 'stopped' });
    expect((await slurm.eventsOf(array, second)).at(-1)).toMatchObject({ code: 0, reason: 'exited' });
    const [one, other] = await Promise.all([first, second].map(slurm.claimedBy));
    expect(one?.split('_')[1]).toBe('0');
    expect(other).toBe(one?.replace(/_0$/, '_1'));
  });

  test('secrets reach each seed of an array', async () => {
    const target = slurm.open(
      { options: { exclude: await slurm.allBut(slurm.hosts[0]) } },
      { TOKEN: secret },
    );
    const requests = [1, 2].map(() => ({
      ...slurm.requestOf(slurm.newAttempt(), 2, 0.2),
      secrets: { TOKEN: secret },
    }));
    await Promise.all(requests.map((request) => target.startGang(new Map([['n0', request]]))));
    const ends = await Promise.all(requests.map(({ attempt }) => slurm.eventsOf(target, attempt)));
    for (const events of ends) {
      expect(events[0]).toMatchObject({ type: 'waiting', names: ['TOKEN'] });
      expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0 });
    }
  });

  test('a seed of an array that still waits is cancelled by itself too; the other one runs', async () => {
    const options = { exclude: await slurm.allBut(slurm.hosts[0]), begin: 'now+10' };
    const array = slurm.open({ options });
    const [first, second] = await startTwo(array);
    expect((await array.standing(second))?.state.is).toBe('pending');
    await array.node('n0').stop(first, 'one seed', 10);
    expect(await slurm.ending(array, first)).toMatchObject({ reason: 'stopped', steps: null });
    expect((await slurm.eventsOf(array, second)).at(-1)).toMatchObject({ code: 0, reason: 'exited' });
    expect(await slurm.claimedBy(second)).toMatch(/^\d+_1$/);
  });

  test('a waiting seed that a person cancels in Slurm ends as cancelled, and so do those cancelled with it', async () => {
    const array = slurm.open({ options: { begin: 'now+1hour' } });
    const [first, second] = await startTwo(array);
    const job = (await array.standing(first))?.job.split('_')[0] ?? 'none';
    await slurm.onLogin('scancel', `${job}_0`);
    expect(await slurm.ending(array, first)).toMatchObject({
      reason: 'cancelled',
      message: 'Slurm says of its job: its array goes on without it',
    });
    expect(await array.node('n0').status(second)).toMatchObject({ health: 'running' });
    await slurm.onLogin('scancel', job);
    expect(await slurm.ending(array, second)).toMatchObject({
      reason: 'cancelled',
      message: expect.stringMatching(/^Slurm says of its job: CANCELLED/),
    });
  });

  test('a refusal of Slurm is one line, and nothing was submitted', async () => {
    const target = slurm.open({ partition: 'nowhere' });
    const request = slurm.requestOf(slurm.newAttempt(), 3, 0.2);
    await expect(target.startGang(new Map([['n0', request]]))).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      agentCode: 'slurm-refused',
      message: expect.stringMatching(/invalid partition/i),
    });
    expect(await slurm.jobsNamed(batchName([request]))).toEqual([]);
    expect(await target.node('n0').status(request.attempt)).toMatchObject({ health: 'absent' });
  });

  test('both nodes of a gang start, once each', async () => {
    const target = slurm.open({ nodes: 2, options: { nodelist: slurm.hosts.join(',') } });
    const attempt = slurm.newAttempt();
    await target.startGang(slurm.gangOf(attempt, 10, 0.2));
    for (const index of [0, 1]) {
      const events = await slurm.eventsOf(target, memberId(attempt, index), `n${index}`);
      expect(events.find(({ type }) => type === 'started')).toMatchObject({ host: slurm.hosts[index] });
      expect(events.at(-1)).toMatchObject({ type: 'ended', code: 0 });
    }
    for (const host of slurm.hosts) {
      const ran = await readFile(join(slurm.root, 'attempts', attempt, 'out', `ran-on-${host}.txt`), 'utf8');
      expect(ran.trim().split('\n')).toHaveLength(1);
    }
    expect(await readFile(join(slurm.root, 'slurm', 'attempts', attempt, 'gang'), 'utf8')).toBe('');
  });

  test.concurrent('a node that dies ends the attempt as such', async () => {
    const target = slurm.open({ options: { nodelist: slurm.hosts[1] } });
    const request = slurm.requestOf(slurm.newAttempt(), 600, 0.2);
    await target.startGang(new Map([['n0', request]]));
    await until(() => slurm.saw(request.attempt, 'metric'));
    const crashed = Date.now();
    await bed(['crash', slurm.hosts[1]]);
    try {
      expect(await slurm.ending(target, request.attempt)).toMatchObject({
        reason: 'node-fail',
        message: `Slurm says of its job: NODE_FAIL on ${slurm.hosts[1]}`,
      });
      process.stderr.write(`node failure: known after ${Date.now() - crashed} ms\n`);
    } finally {
      await bed(['boot', slurm.hosts[1]]);
      await slurm
        .onLogin('scontrol', 'update', `nodename=${slurm.hosts[1]}`, 'state=resume')
        .catch(() => undefined);
    }
  });
});

/** Two attempts in one submission: a long one and a short one. */
async function startTwo(target: SlurmTarget): Promise<[string, string]> {
  const requests = [
    slurm.requestOf(slurm.newAttempt(), 600, 0.2),
    slurm.requestOf(slurm.newAttempt(), 3, 0.2),
  ] as const;
  await Promise.all(requests.map((request) => target.startGang(new Map([['n0', request]]))));
  return [requests[0].attempt, requests[1].attempt];
}
