import { beforeEach, expect, test } from 'vitest';
import { HerError } from '../../errors.ts';
import type { AgentCall } from '../agent-verbs.ts';
import type { Node } from '../target.ts';
import type { Seen } from './agent-replies.ts';
import { handSecrets } from './hand-secrets.ts';
import { gone, type JobState } from './job-state.ts';
import { openSlurmNode } from './slurm-node.ts';

const nothing: Seen = {
  attempt: 'a-1',
  job: '7',
  batch: 'her-a-1',
  claimed: null,
  health: 'absent',
  stopped: false,
  host: null,
  waitsFor: [],
  waitsOn: null,
  waitsIn: null,
  code: null,
  signal: null,
  reason: null,
  lastSeq: 0,
  agentPid: null,
};

let seen: Seen;
let state: JobState;
let asked: string[];
let buried: unknown;
let noRoom: boolean;

beforeEach(() => {
  seen = nothing;
  state = gone;
  asked = [];
  buried = undefined;
  noRoom = false;
});

const reader = {
  name: 'n0',
  ask: async (verb: string, args: readonly string[], reply: { parse(value: unknown): unknown }) => {
    asked.push(verb);
    if (verb === 'slurm-stop' && noRoom)
      throw new HerError('AGENT_FAILED', 'no room', { agentCode: 'disk-full' });
    if (verb === 'slurm-stop') seen = { ...seen, stopped: true };
    if (verb === 'slurm-bury') buried = args.at(-1);
    return reply.parse(verb === 'slurm-view' ? seen : {});
  },
  events: async function* () {
    yield 'a line';
  },
  runner: {
    run: async (argv: readonly string[]) => {
      asked.push(argv.join(' '));
      return { exitCode: 0, stdout: '', stderr: '' };
    },
  },
} as unknown as Node;

const node = () =>
  openSlurmNode({
    reader,
    index: 0,
    root: async () => '/shared',
    queue: { every: 1, stateOf: async () => state },
    start: () => Promise.reject(new TypeError('nothing is started')),
    secretsWanted: async () => undefined,
    settle: 0,
  });

test('a job that Slurm does not know is out of reach, and nothing is buried on a guess', async () => {
  seen = { ...nothing, health: 'begun' };
  await expect(node().status('a-1')).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  await expect(node().reap('a-1', 1)).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  expect(buried).toBeUndefined();
});

test('a person who knows that it is over says so by a stop', async () => {
  seen = { ...nothing, health: 'begun' };
  await node().stop('a-1', 'it is gone', 1);
  expect(asked.some((one) => one.startsWith('scancel'))).toBe(false);
  expect(await node().status('a-1')).toMatchObject({ health: 'lost' });
  await node().reap('a-1', 1);
  expect(buried).toBe('job-gone');
});

test('an attempt whose agent has begun is read without asking Slurm, which may be down', async () => {
  seen = { ...nothing, health: 'begun' };
  const lines: string[] = [];
  for await (const line of node().events('a-1', 1, AbortSignal.timeout(1_000))) lines.push(line);
  expect(lines).toEqual(['a line']);
});

test('one that waits is running, with what it waits for', async () => {
  state = { ...gone, is: 'pending', word: 'PENDING', reason: 'Priority' };
  expect(await node().status('a-1')).toMatchObject({
    health: 'running',
    waits: "job 7 waits in Slurm's queue: Priority",
  });
});

test('only a job that still waits is cancelled at once; what runs is asked to end by itself', async () => {
  const cancelled = () => asked.filter((one) => one.startsWith('scancel'));
  state = { ...gone, is: 'active', word: 'RUNNING' };
  await node().stop('a-1', 'enough', 1);
  state = { ...gone, is: 'pending', word: 'PENDING' };
  // What Slurm said may be some seconds old.
  seen = { ...nothing, health: 'begun' };
  await node().stop('a-1', 'enough', 1);
  expect(cancelled()).toEqual([]);
  seen = { ...nothing, job: '7_2' };
  await node().stop('a-1', 'enough', 1);
  expect(cancelled()).toEqual(['scancel 7_2']);
});

test('where there is no room for the word that agents wait for, Slurm is asked to end the job', async () => {
  state = { ...gone, is: 'active', word: 'RUNNING' };
  seen = { ...nothing, health: 'begun', claimed: '7_2' };
  noRoom = true;
  await node().stop('a-1', 'enough', 1);
  expect(asked).toContain('scancel 7_2');
});

test('while an agent waits for secrets they are handed to it, wherever Slurm says that it runs', async () => {
  state = { ...gone, is: 'active', word: 'RUNNING' };
  seen = { ...nothing, health: 'waiting', claimed: '7_2', waitsFor: ['TOKEN'], waitsOn: 'h1', waitsIn: '9' };
  const call = { runner: reader.runner, python: 'python3', agent: 'agent.pyz' } as unknown as AgentCall;
  await expect(
    handSecrets(call, { root: '/shared', attempt: 'a-1', index: 0, seen }, { TOKEN: 'value' }),
  ).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  expect(asked[0]).toContain('srun --overlap --jobid=9 --nodelist=h1 ');
});

test('an end that its agent left counts, whatever Slurm says', async () => {
  seen = { ...nothing, health: 'ended', code: 0, reason: 'exited', lastSeq: 9 };
  expect(await node().status('a-1')).toMatchObject({ health: 'ended', code: 0, lastSeq: 9 });
});

test('an attempt that was never submitted is absent', async () => {
  seen = { ...nothing, job: null };
  expect(await node().status('a-1')).toMatchObject({ health: 'absent' });
});
