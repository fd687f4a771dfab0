import { expect, test } from 'vitest';
import { machine, node, said } from '../testing.ts';
import { clockCheck } from './clock.ts';

const at = (offset: number, bound: number) => node({}, { clock: { offset, bound } });

test.each([
  [0, 3, 'as here, ± 3 ms'],
  [0, 0, 'as here, ± 0 ms'],
  [2, 2.5, 'as here, ± 3 ms'],
  [-40, 3, '40 ms behind, ± 3 ms'],
  [1_900, 3, '1900 ms ahead, ± 3 ms'],
])('a clock that is %d ms off, as surely as %d ms tell, passes: %s', (offset, bound, words) => {
  expect(said(clockCheck, at(offset, bound))).toEqual(['ok', words]);
});

test.each([
  [2_100, 3, 'warn', '2100 ms ahead, ± 3 ms'],
  [-30_000, 10, 'warn', '30 s behind, ± 10 ms'],
  [60_100, 50, 'fail', '60 s ahead, ± 50 ms'],
  [-86_400_000, 50, 'fail', '86400 s behind, ± 50 ms'],
] as const)('one that is %d ms off for certain is told: %s', (offset, bound, status, words) => {
  expect(said(clockCheck, at(offset, bound))).toEqual([status, words]);
});

test('what may be the slowness of the connection is not held against the clock', () => {
  expect(said(clockCheck, at(5_000, 3_500))[0]).toBe('ok');
  expect(said(clockCheck, at(61_000, 1_500))[0]).toBe('warn');
});

test('a clock that is right and that nothing keeps right passes with a word', () => {
  const loose = node({ machine: { ok: machine({ clockSynchronized: false }) } });
  expect(said(clockCheck, loose)).toEqual(['ok', 'as here, ± 3 ms; nothing keeps it right']);
  expect(said(clockCheck, node({ machine: { ok: machine({ clockSynchronized: null }) } }))[1]).not.toContain(
    'nothing keeps',
  );
});

test('it needs no facts of the machine', () => {
  expect(said(clockCheck, node({ machine: { late: 5 } }))[0]).toBe('ok');
});
