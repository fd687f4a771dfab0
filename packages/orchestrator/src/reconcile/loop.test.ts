import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntryBody, Ledger } from '@her/ledger';
import { expect, test, vi } from 'vitest';
import { HerError } from '../errors.ts';
import type { Node, Target } from '../targets/target.ts';
import { reconcile } from './loop.ts';
import { leaveStopRequest } from './stops.ts';
import { asEntry, attemptEntries, chain, stateOf } from './testing.ts';
import type { World } from './world.ts';

/** Nodes, target and ledger stand in here. `prepare` runs on h2; `sft/11` failed on h1, and has a checkpoint there. */
const away = new HerError('AGENT_UNREACHABLE', 'no route to host');
const other = new HerError('AGENT_FAILED', 'another machine', { agentCode: 'other-node' });
const [a, b] = ['a', 'b'].map((letter) => letter.repeat(16));

type Nodes = { h1?: Partial<Node>; h2?: Partial<Node> };

function on(node: string, bodies: EntryBody[]): EntryBody[] {
  return bodies.map((body) =>
    body.kind === 'decision' ? { ...body, nodes: [node] } : ({ ...body, node } as EntryBody),
  );
}

async function worldOf({ h1, h2 }: Nodes) {
  const plan = chain();
  const jobs = plan.jobs.slice(0, 2).map((job) => ({ ...job, needs: [] }));
  const state = stateOf([
    ...on('h2', attemptEntries(a ?? '', 1)),
    ...on('h1', attemptEntries(b ?? '', 1, { code: 1, reason: 'exited' })),
  ]);
  const written: EntryBody[] = [];
  const letGo = new AbortController();
  const silent: Partial<Node> = {
    events: async function* (_attempt, _from, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield* [];
    },
    status: async (attempt) =>
      ({ attempt, health: 'running', orphans: [] }) as unknown as Awaited<ReturnType<Node['status']>>,
    stop: async () => undefined,
  };
  const nodes = new Map(Object.entries({ h1, h2 }).map(([name, its]) => [name, { name, ...silent, ...its }]));
  const world = {
    plan: { ...plan, jobs },
    state,
    capacity: ['h1', 'h2'].map((node) => ({ node, cores: 1, memoryGb: 64, gpus: 0 })),
    policy: { retries: 2 },
    ledger: {
      append: async (bodies: readonly EntryBody[]) => {
        written.push(...bodies);
        return bodies.map((body, i) => asEntry(body, 100 + written.length + i));
      },
    } as unknown as Ledger,
    target: { name: 'fake', node: (name: string) => nodes.get(name) } as unknown as Target,
    observer: new Proxy({}, { get: () => () => undefined }),
    secrets: () => Promise.reject(away),
    signal: letGo.signal,
    until: null,
  } as unknown as World;
  const requests = { folder: await mkdtemp(join(tmpdir(), 'her-stops-')) };
  const decided = () => written.filter((entry) => entry.kind === 'decision').map(({ action }) => action);
  return { world, requests, letGo, written, decided };
}

test('a checkpoint on a node out of reach is proven once that answers; other jobs go on meanwhile', async () => {
  let reachable = false;
  const { world, requests, letGo, written } = await worldOf({
    h1: {
      checkCheckpoint: async () => (reachable ? { whole: true, step: 4, why: [] } : Promise.reject(away)),
      hash: async () => ({ digest: 'd'.repeat(64) }),
    },
  });
  const done = reconcile(world, requests);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(written).toEqual([]);
  reachable = true;
  await vi.waitUntil(() => written.some(({ kind }) => kind === 'decision'), { timeout: 10_000 });
  expect(written).toMatchObject([
    { kind: 'checkpoint.verified', whole: true },
    { kind: 'decision', action: 'resume', attempt: `${b}-2`, nodes: ['h1'], resumeFrom: { step: 4 } },
  ]);
  letGo.abort();
  await done;
  expect(written.filter(({ kind }) => kind === 'decision')).toHaveLength(1);
});

test.each([
  ['STORE_UNREACHABLE', ['checkpoint.verified', 'decision'], true],
  ['STORE_REFUSED', ['checkpoint.verified', 'decision'], true],
  ['CHECKPOINT_GONE', ['checkpoint.verified', 'checkpoint.set-aside', 'decision'], false],
] as const)(
  'a torn checkpoint that could not be brought back at first (%s): %j',
  async (code, kinds, whole) => {
    let back = false;
    const { world, requests, letGo, written } = await worldOf({
      h1: {
        checkCheckpoint: async () => ({ whole: back, step: 4, why: back ? [] : ['torn'] }),
        hash: async () => ({ digest: 'd'.repeat(64) }),
      },
    });
    let tries = 0;
    world.restore = async () => {
      tries += 1;
      if (tries === 1) throw new HerError(code, 'not now');
      back = true;
      return true;
    };
    const done = reconcile(world, requests);
    await vi.waitUntil(() => written.some(({ kind }) => kind === 'decision'), { timeout: 10_000 });
    letGo.abort();
    await done;
    expect(written.map(({ kind }) => kind)).toEqual(kinds);
    expect(written[0]).toMatchObject({ whole });
  },
);

test('while a checkpoint is being read stops are obeyed, and the loop can let go', async () => {
  const stopped: string[] = [];
  const { world, requests, letGo, decided } = await worldOf({
    h1: {
      checkCheckpoint: (_attempt, _path, _format, _size, signal) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(away))),
    },
    h2: { stop: async (attempt) => void stopped.push(attempt) },
  });
  const done = reconcile(world, requests);
  await leaveStopRequest(requests, { jobs: [a ?? '', b ?? ''], reason: 'enough' });
  await vi.waitUntil(() => stopped.length > 0, { timeout: 5_000 });
  expect(decided()).toEqual(['stop', 'stop']);
  letGo.abort();
  await done;
  expect(decided()).toEqual(['stop', 'stop']);
});

test.each([
  ['does not answer', false, () => new Promise<void>(() => undefined)],
  ['is another machine now', true, () => Promise.reject(other)],
])('a node that %s keeps no other from being asked to stop', async (_, obeyed, stop) => {
  const stopped: string[] = [];
  const { world, requests, letGo, decided } = await worldOf({
    h1: { stop: async (attempt) => void stopped.push(attempt), checkCheckpoint: () => Promise.reject(away) },
    h2: { stop, status: () => Promise.reject(other) },
  });
  const state = stateOf([...on('h2', attemptEntries(a ?? '', 1)), ...on('h1', attemptEntries(b ?? '', 1))]);
  const both = { ...world, state };
  const done = reconcile(both, requests);
  await leaveStopRequest(requests, { jobs: [a ?? '', b ?? ''], reason: 'enough' });
  await vi.waitUntil(() => stopped.length > 0, { timeout: 5_000 });
  expect(decided()).toEqual(['stop', 'stop']);
  if (obeyed)
    await vi.waitUntil(async () => (await readdir(requests.folder)).length === 0, { timeout: 5_000 });
  letGo.abort();
  await done;
});
