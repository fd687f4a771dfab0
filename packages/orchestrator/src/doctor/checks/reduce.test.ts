import { expect, test } from 'vitest';
import type { ReachedNode } from '../node-report.ts';
import { needs, node, said } from '../testing.ts';
import { reduceCheck } from './reduce.ts';

const on = (reduce: NonNullable<ReachedNode['reduce']>) => node({}, { reduce });
const gpus = needs({ gpus: { perNode: 8, kind: null, memoryGb: 0 } });

test('a sum that came out right passes, by the backend of the devices', () => {
  const right = on({ ok: true, milliseconds: 8.1, torch: '2.11.0+cu130' });
  expect(said(reduceCheck, right, gpus)).toEqual(['ok', 'NCCL: 16 MiB in 8.1 ms, torch 2.11.0+cu130']);
  expect(said(reduceCheck, right)[1]).toMatch(/^gloo: /);
});

test('one that failed says how, and which interface to name', () => {
  const broken = on({ ok: false, why: 'a rank ended with 1', said: 'DistBackendError: no route' });
  expect(said(reduceCheck, broken, gpus)).toEqual([
    'fail',
    'NCCL: a rank ended with 1: DistBackendError: no route',
  ]);
  expect(reduceCheck.of(broken, gpus)[0]?.remedy).toContain('NCCL_SOCKET_IFNAME');
  expect(reduceCheck.of(broken, needs())[0]?.remedy).toContain('GLOO_SOCKET_IFNAME');
  expect(said(reduceCheck, on({ ok: false, why: 'not done in time', said: '' }))[1]).toBe(
    'gloo: not done in time',
  );
  expect(said(reduceCheck, on({ ok: false }))[1]).toBe('gloo: it failed');
});

test('one that was not asked for or could not begin is unknown', () => {
  expect(said(reduceCheck, node())).toEqual(['unknown', 'was not asked']);
  expect(said(reduceCheck, on({ problem: 'no environment with torch is on all nodes yet' }))[0]).toBe(
    'unknown',
  );
  expect(reduceCheck.needed(gpus)).toBe(false);
});
