import { expect, test } from 'vitest';
import type { AgentEvent } from '../agent/protocol.ts';
import { agentEvent } from '../agent/protocol.ts';
import { attemptEntries, chain, stateOf } from './testing.ts';
import { translate } from './translate.ts';

const job = chain().jobs[1];
if (job === undefined) throw new Error('the fixture has three jobs');
const seeded = {
  ...job,
  seeds: [{ source: 'data_seed', value: 7, drives: '', effect: 'effective' as const }],
};
const attempt = stateOf(attemptEntries(job.id, 1)).jobs.get(job.id)?.attempts[0];
if (attempt === undefined) throw new Error('the fixture has an attempt');
const blobs: string[] = [];
const context = {
  study: 'test',
  node: 'local',
  job: seeded,
  attempt,
  putBlob: async (text: string) => {
    blobs.push(text);
    return 'e'.repeat(64);
  },
  made: new Set<string>(),
  spoiled: null,
};
const event = (more: object): AgentEvent =>
  agentEvent.parse({ seq: 5, time: '2026-01-01T00:00:00.000Z', ...more });

test('a heartbeat is no entry', async () => {
  expect(await translate(event({ type: 'heartbeat', load1: 1 }), context)).toEqual([]);
});

test('a NaN keeps its spelling', async () => {
  const values = { loss: 1.5, grad_norm: 'NaN' };
  const [entry] = await translate(
    event({ type: 'metric', step: 3, maxSteps: 9, values, from: 'swift' }),
    context,
  );
  expect(entry).toMatchObject({ kind: 'metric', seq: 5, step: 3, values });
});

test('a seed is held against the plan: applied, differs, unplanned', async () => {
  const values = [
    { source: 'data_seed', value: 7, where: 'out/args.json' },
    { source: 'other', value: 1, where: 'out/args.json' },
  ];
  const entries = await translate(event({ type: 'seeds', values }), context);
  expect(entries).toMatchObject([
    { status: 'applied', planned: 7 },
    { status: 'unplanned', planned: null },
  ]);
  const wrong = [{ source: 'data_seed', value: 8, where: 'out/args.json' }];
  expect(await translate(event({ type: 'seeds', values: wrong }), context)).toMatchObject([
    { status: 'differs' },
  ]);
});

test('a seed that is in the ledger already is not written again', async () => {
  const values = [{ source: 'data_seed', value: 7, where: 'out/args.json' }];
  const seen = { ...context, attempt: { ...attempt, seedsSeen: ['data_seed'] } };
  expect(await translate(event({ type: 'seeds', values }), seen)).toEqual([]);
});

test('an ending is classified by its last lines, which are kept', async () => {
  const tails = { 'rank-0': 'OSError: [Errno 28] No space left on device' };
  const ended = { type: 'ended', code: 1, signal: null, reason: 'exited', tails, steps: 4 };
  const [entry] = await translate(event(ended), context);
  expect(entry).toMatchObject({ kind: 'attempt.ended', class: 'resource', policy: 'stop', lastStep: 4 });
  expect(blobs.at(-1)).toContain('No space left');
});

test('an exit code of 0 without the promised outputs, or with spoiled scores, is no success', async () => {
  const ended = { type: 'ended', code: 0, signal: null, reason: 'exited', tails: {}, steps: 9 };
  const promising = { ...seeded, outputs: [{ name: 'model', path: 'out/checkpoint-*' }] };
  const [bare] = await translate(event(ended), { ...context, job: promising });
  expect(bare).toMatchObject({
    class: 'data',
    policy: 'stop',
    cause: expect.stringContaining('no model (out/checkpoint-*)'),
  });
  const [good] = await translate(event(ended), { ...context, job: promising, made: new Set(['model']) });
  expect(good).toMatchObject({ class: null, cause: null });
  const [spoiled] = await translate(event(ended), { ...context, spoiled: 'its scores cannot be read' });
  expect(spoiled).toMatchObject({ class: 'data', cause: 'its scores cannot be read' });
});

test('an event of a kind that is not known is kept as it came', async () => {
  const [entry] = await translate(event({ type: 'message', text: 'hello' }), context);
  expect(entry).toMatchObject({ kind: 'event', type: 'message', data: { text: 'hello' } });
});

test('an event that is damaged is refused', () => {
  expect(() => event({ seq: 0, type: 'heartbeat' })).toThrow();
  expect(() => event({ type: 'metric', values: {} })).toThrow();
});
