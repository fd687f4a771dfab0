import type { EntryBody, Ledger } from '@her/ledger';
import { afterEach, expect, test, vi } from 'vitest';
import { HerError } from '../errors.ts';
import type { Node, Target } from '../targets/target.ts';
import { followAttempt } from './follow.ts';
import { jobState } from './state.ts';
import { asEntry, attemptEntries, chain, stateOf } from './testing.ts';
import type { World } from './world.ts';

/** Nodes, target and ledger stand in here: each node tells what a real agent would, when the test lets it. */
const job = { ...(chain().jobs[1] ?? fail()), outputs: [] };
const id = `${job.id}-1`;
const time = '2026-01-01T00:00:01.000Z';
const line = (seq: number, more: object): string => JSON.stringify({ seq, time, ...more });
const ended = (seq: number, more: object): string =>
  line(seq, { type: 'ended', code: 0, signal: null, reason: 'exited', tails: {}, steps: 3, ...more });

type Fake = {
  name: string;
  tells: (signal: AbortSignal) => AsyncGenerator<string>;
  stopped?: string[];
  status?: () => Promise<{ health: string }>;
  reap?: () => Promise<void>;
};

function worldOf(fakes: Fake[], startKnown = true) {
  const [decision, started] = attemptEntries(job.id, 1);
  if (decision?.kind !== 'decision' || started?.kind !== 'attempt.started') return fail();
  const nodes = fakes.map(({ name }) => name);
  const starts = startKnown ? nodes.map((node) => ({ ...started, node })) : [];
  const state = stateOf([{ ...decision, nodes }, ...starts]);
  const written: EntryBody[] = [];
  const notes: string[] = [];
  const nodeOf = ({ name, tells, stopped, status, reap }: Fake): Node =>
    ({
      name,
      events: (_: string, _from: number, signal: AbortSignal) => tells(signal),
      status: async () => ({ attempt: id, orphans: [], ...((await status?.()) ?? { health: 'running' }) }),
      reap,
      stop: async (attempt: string) => void stopped?.push(attempt),
      attemptPath: async (attempt: string, path: string) => `${attempt}/${path}`,
    }) as unknown as Node;
  const world = {
    plan: chain(),
    state,
    ledger: {
      append: async (bodies: readonly EntryBody[]) => {
        written.push(...bodies);
        return bodies.map((body, i) => asEntry(body, 100 + written.length + i));
      },
      putBlob: async () => 'b'.repeat(64),
    } as unknown as Ledger,
    target: {
      name: 'fake',
      node: (name: string) => nodeOf(fakes.find((fake) => fake.name === name) ?? fail()),
    } as unknown as Target,
    observer: {
      started: () => undefined,
      progressed: () => undefined,
      ended: () => undefined,
      note: (_: unknown, text: string) => void notes.push(text),
      unknown: (_: unknown, since: Date) => void notes.push(`unknown since ${since.getFullYear()}`),
      known: () => void notes.push('known'),
    },
    signal: new AbortController().signal,
    until: null,
  } as unknown as World;
  const attempt = jobState(state, job.id).attempts[0] ?? fail();
  return { world, attempt, written, notes };
}

function fail(): never {
  throw new Error('the fixture is not what the test thinks');
}

async function* telling(...lines: string[]): AsyncGenerator<string> {
  yield* lines;
}

afterEach(() => {
  vi.useRealTimers();
});

test('a stream that takes long to begin is given longer each time, and is not started over and over', async () => {
  vi.useFakeTimers();
  const begun: number[] = [];
  const { world, attempt } = worldOf([
    {
      name: 'h1',
      tells: async function* (signal) {
        begun.push(Date.now());
        const took = new Promise<boolean>((resolve) => {
          setTimeout(() => resolve(true), 100_000);
          signal.addEventListener('abort', () => resolve(false));
        });
        if (await took) yield ended(1, {});
      },
    },
  ]);
  const start = Date.now();
  const followed = followAttempt(world, job, attempt);
  await vi.advanceTimersByTimeAsync(300_000);
  await followed;
  expect(attempt.ended?.code).toBe(0);
  expect(begun.map((at) => Math.round((at - start) / 1000))).toEqual([0, 30, 91]);
});

test('a gang ends once, when every node has, and names the node where it began', async () => {
  const { world, attempt, written } = worldOf([
    {
      name: 'h1',
      tells: () =>
        telling(ended(1, { code: null, signal: 'SIGTERM', reason: 'gang-ended', by: { node: 1, rank: 0 } })),
    },
    {
      name: 'h2',
      tells: () => telling(ended(1, { code: null, signal: 'SIGKILL', reason: 'signalled' })),
    },
  ]);
  await followAttempt(world, job, attempt);
  expect(written.map(({ kind }) => kind)).toEqual(['node.ended', 'node.ended', 'attempt.ended']);
  expect(written.at(-1)).toMatchObject({ node: 'h2', signal: 'SIGKILL', policy: 'retry' });
  expect(attempt.ended?.cause).toContain('on h2: ');
});

test.each([
  ['exited', 0, []],
  ['signalled', null, [id]],
])(
  'a gang one node of which is done: what is left is asked to stop only after a bad end (%s)',
  async (reason, code, stopped) => {
    vi.useFakeTimers();
    const asked: string[] = [];
    const { world, attempt } = worldOf([
      {
        name: 'h1',
        stopped: asked,
        tells: async function* () {
          for (let seq = 1; seq < 5; seq++) {
            await new Promise((resolve) => setTimeout(resolve, 8_000));
            yield line(seq, { type: 'message', text: 'still hashing' });
          }
          yield ended(5, {});
        },
      },
      { name: 'h2', tells: () => telling(ended(1, { reason, code })) },
    ]);
    const followed = followAttempt(world, job, attempt);
    await vi.advanceTimersByTimeAsync(60_000);
    await followed;
    expect(asked).toEqual(stopped);
    expect(attempt.ended?.class === null).toBe(code === 0);
  },
);

test('a start that was not recorded before its stop is asked to end where it is, and followed to its end', async () => {
  const asked: string[] = [];
  const unreachable = new HerError('AGENT_UNREACHABLE', 'no route to host');
  let h2 = async (): Promise<{ health: string }> => Promise.reject(unreachable);
  const { world, attempt } = worldOf(
    [
      { name: 'h1', stopped: asked, tells: () => telling(ended(1, { code: null, reason: 'stopped' })) },
      {
        name: 'h2',
        status: () => h2(),
        tells: async function* () {
          if ((await h2()).health === 'absent')
            throw new HerError('AGENT_FAILED', 'no attempt', { agentCode: 'no-such-attempt' });
          yield* telling();
        },
      },
    ],
    false,
  );
  jobState(world.state, job.id).stopped = true;
  const followed = followAttempt(world, job, attempt);
  await vi.waitUntil(() => attempt.nodeEnds.has('h1'));
  expect(asked[0]).toBe(id);
  // It never heard of the attempt.
  h2 = async () => ({ health: 'absent' });
  await followed;
  expect(attempt.ended).toMatchObject({ reason: 'stopped', class: 'stopped' });
  expect(attempt.nodeEnds.get('h2')?.cause).toBe('it was stopped before it was started');
});

test('while a reap of before is still at it the node is asked again', async () => {
  const ends: string[] = [];
  let refusals = 1;
  const { world, attempt, written } = worldOf([
    {
      name: 'h1',
      status: async () => ({ health: 'lost' }),
      reap: async () => {
        if (refusals-- > 0) throw new HerError('AGENT_FAILED', 'a live agent', { agentCode: 'running' });
        ends.push(ended(1, { code: null, reason: 'agent-lost' }));
      },
      tells: () => telling(...ends),
    },
  ]);
  await followAttempt(world, job, attempt);
  expect(written.filter((entry) => entry.kind === 'decision')).toHaveLength(1);
  expect(refusals).toBe(-1);
  expect(attempt.ended?.reason).toBe('agent-lost');
});

test('a node that is still out of reach when it is followed anew is unknown since then as before', async () => {
  const unreachable = new HerError('AGENT_UNREACHABLE', 'no route to host');
  const { world, attempt, written } = worldOf([
    { name: 'h1', tells: () => telling(), status: () => Promise.reject(unreachable) },
  ]);
  const since = '2020-01-01T00:00:00.000Z';
  attempt.unknownSince.set('h1', since);
  const told: Date[] = [];
  world.observer.unknown = (_, at) => void told.push(at);
  const letGo = new AbortController();
  const followed = followAttempt({ ...world, signal: letGo.signal }, job, attempt);
  await vi.waitUntil(() => told.length > 1, { timeout: 5_000 });
  letGo.abort();
  await followed;
  expect(told[0]?.toISOString()).toBe(since);
  expect(written).toEqual([]);
});

test('the nodes of a gang number their events each for itself', async () => {
  const metric = (seq: number) =>
    line(seq, { type: 'metric', step: seq, maxSteps: 9, values: { loss: 1 }, from: 'swift' });
  const { world, attempt, written } = worldOf([
    { name: 'h1', tells: () => telling(metric(1), metric(2), ended(3, {})) },
    { name: 'h2', tells: () => telling(line(1, { type: 'message', text: 'hello' }), ended(2, {})) },
  ]);
  await followAttempt(world, job, attempt);
  expect(attempt.ended).toMatchObject({ class: null, code: 0, node: 'h1' });
  expect([...attempt.seqs]).toEqual(
    expect.arrayContaining([
      ['h1', 3],
      ['h2', 2],
    ]),
  );
  expect(written.filter(({ kind }) => kind === 'metric')).toHaveLength(2);
});

test('a node out of reach is unknown, and goes on where its events stopped', async () => {
  let tries = 0;
  const { world, attempt, written, notes } = worldOf([
    {
      name: 'h1',
      tells: async function* () {
        tries += 1;
        if (tries === 1) yield line(1, { type: 'message', text: 'one' });
        if (tries <= 2) throw new HerError('AGENT_UNREACHABLE', 'no route');
        yield line(1, { type: 'message', text: 'one' });
        yield ended(2, {});
      },
    },
  ]);
  await followAttempt(world, job, attempt);
  expect(notes).toEqual([
    expect.stringMatching(/^unknown since/),
    expect.stringMatching(/^unknown/),
    'known',
  ]);
  expect(written.map(({ kind }) => kind)).toEqual(['event', 'attempt.ended']);
});
