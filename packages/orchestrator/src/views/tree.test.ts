import { expect, test } from 'vitest';
import { emptyState } from '../reconcile/state.ts';
import { attemptEntries, chain, stateOf } from '../reconcile/testing.ts';
import { table } from './table.ts';
import { jobRows, treeLines } from './tree.ts';
import { duration, oneLine, printable, short, timeLeft } from './words.ts';

const plan = chain();
const policy = { retries: 2 };
const a = 'a'.repeat(16);
const b = 'b'.repeat(16);
const done = { code: 0, reason: 'exited' };

test('the tree groups jobs by stage and says what each waits for', () => {
  const rows = jobRows(plan, emptyState(), policy, new Map(), 0);
  expect(treeLines(rows, 200)).toMatchInlineSnapshot(`
    [
      "· prepare        ready    its inputs are ready",
      "  sft",
      "· └ seed 11      waiting  for prepare",
      "  rl",
      "· └ seed 11      waiting  for sft/11",
    ]
  `);
});

test('a running job shows its step, and since when its node cannot be asked', () => {
  const state = stateOf([...attemptEntries(a, 1, done), ...attemptEntries(b, 1)]);
  const [, running] = jobRows(plan, state, policy, new Map(), Date.parse('2026-01-01T00:01:00Z'));
  expect(running).toMatchObject({ word: 'running', detail: 'step 1/9 · loss 2' });
  const since = new Date('2026-01-01T00:00:30Z');
  const [, unknown] = jobRows(plan, state, policy, new Map([[b, since]]), 0);
  expect(unknown).toMatchObject({
    word: 'unknown',
    detail: 'unknown since 2026-01-01T00:00:30.000Z · step 1/9',
  });
});

test('a second attempt is said to be one', () => {
  const bodies = [...attemptEntries(b, 1, { code: 1, reason: 'exited' }), ...attemptEntries(b, 2)];
  const [, running] = jobRows(plan, stateOf(bodies), policy, new Map(), 0);
  expect(running?.detail).toContain('attempt 2');
});

test('a line is cut to the width of the terminal', () => {
  const rows = jobRows(plan, emptyState(), policy, new Map(), 0);
  for (const line of treeLines(rows, 20)) expect(line.length).toBeLessThanOrEqual(20);
});

test('the time left follows the pace of the attempt, and shrinks while a step is under way', () => {
  const [attempt] = stateOf(attemptEntries(b, 1)).jobs.get(b)?.attempts ?? [];
  if (attempt === undefined) throw new Error('the fixture has an attempt');
  const first = { step: 1, time: '2026-01-01T00:00:00Z' };
  const last = { step: 5, time: '2026-01-01T00:00:40Z' };
  const steady = { ...attempt, maxSteps: 9, stepTimes: { first, last } };
  expect(timeLeft(steady, Date.parse('2026-01-01T00:00:40Z'))).toBe(40_000);
  expect(timeLeft(steady, Date.parse('2026-01-01T00:00:45Z'))).toBe(35_000);
  expect(timeLeft({ ...steady, stepTimes: { first, last: first } }, 0)).toBeUndefined();
});

test('words', () => {
  expect([duration(900), duration(61_000), duration(3_700_000)]).toEqual(['1 s', '1 min 1 s', '1 h 1 min']);
  expect([short(0.30001234), short('NaN'), short(12)]).toEqual(['0.3', 'NaN', '12']);
});

test('text from a node cannot steer the terminal', () => {
  expect(printable('a\u001b[2Jb\nc\u0007')).toBe('a\uFFFD[2Jb\nc\uFFFD');
  expect(printable('a\u202eb\u2066')).toBe('a\uFFFDb\uFFFD');
  expect(oneLine('a\r\n\tb\u001b')).toBe('a b\uFFFD');
});

test('what a node says stays in its cell and on its line', () => {
  expect(table(['a', 'b'], [['1\n2', '\u001b[2J']]).split('\n')).toEqual([
    'a    b',
    '───  ────',
    '1 2  \uFFFD[2J',
  ]);
  const [row] = jobRows(plan, emptyState(), policy, new Map(), 0);
  if (row === undefined) throw new Error('the fixture has a job');
  expect(treeLines([{ ...row, detail: 'x\ny\u001bz' }], 200)).toEqual([
    '· prepare        ready    x y\uFFFDz',
  ]);
});
