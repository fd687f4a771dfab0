import { expect, test } from 'vitest';
import { gib, machine, needs, node, nvidia, said } from '../testing.ts';
import { coresCheck, limitsCheck, loginCheck, memoryCheck, pythonCheck } from './machine.ts';

const on = (over: Parameters<typeof machine>[0]) => node({ machine: { ok: machine(over) } });
const withGpus = needs({ gpus: { perNode: 8, kind: null, memoryGb: 0 } });

test('who runs there, and by which Python', () => {
  expect(said(loginCheck, node())).toEqual(['ok', 'ada on n0']);
  expect(said(pythonCheck, node())).toEqual(['ok', '3.12.3, Ubuntu 24.04']);
});

test.each([loginCheck, pythonCheck, coresCheck, memoryCheck, limitsCheck])(
  '$name cannot be known where the machine said nothing, and why is told',
  (check) => {
    const [status, what] = said(check, node({ machine: { error: 'OSError: /proc is not there' } }));
    expect([status, what]).toEqual(['unknown', expect.stringContaining('/proc is not there')]);
    const late = check.of(node({ machine: { late: 36 } }), needs());
    expect(late).toEqual([
      expect.objectContaining({
        status: 'unknown',
        what: expect.stringContaining('no answer within 36 s'),
        remedy: expect.stringContaining('hangs'),
      }),
    ]);
  },
);

test('cores: as many as a job asks for do; fewer fail, and more work than cores is told', () => {
  expect(said(coresCheck, on({ cores: 8 }))).toEqual(['ok', '8, load 0.2']);
  expect(said(coresCheck, on({ cores: 7 }))).toEqual(['fail', '7 can be used; a job asks for 8']);
  expect(said(coresCheck, on({ cores: 8, load: [1, 9.26, 3] }))).toEqual(['warn', '8, with a load of 9.3']);
  expect(said(coresCheck, on({ load: [] }))).toEqual(['ok', '16, load 0.0']);
});

test('memory: too little for a job fails; enough that others hold is told', () => {
  expect(said(memoryCheck, on({ memoryBytes: 16e9, freeMemoryBytes: 16e9 }))[0]).toBe('ok');
  expect(said(memoryCheck, on({ memoryBytes: 15.9e9, freeMemoryBytes: 15.9e9 }))[0]).toBe('fail');
  const [status, what] = said(memoryCheck, on({ memoryBytes: 64e9, freeMemoryBytes: 14 * gib }));
  expect([status, what]).toEqual(['warn', '14 GiB free of 59.6 GiB; a job may take 16 GB']);
});

test('memory that a machine does not tell is not taken for none', () => {
  const total = said(memoryCheck, on({ memoryBytes: null, freeMemoryBytes: null }));
  expect(total).toEqual(['unknown', 'memory: the machine does not tell how much it has']);
  const free = said(memoryCheck, on({ memoryBytes: 64e9, freeMemoryBytes: null }));
  expect(free).toEqual(['unknown', 'memory: the machine does not tell how much is free']);
  expect(said(memoryCheck, on({ memoryBytes: 1e9, freeMemoryBytes: null }))[0]).toBe('fail');
});

test('limits: none or high ones pass', () => {
  expect(said(limitsCheck, node())).toEqual(['ok', 'any number of files, 32 GiB in /dev/shm']);
  expect(said(limitsCheck, on({ openFiles: 8192 }))).toEqual(['ok', '8192 files, 32 GiB in /dev/shm']);
});

test('limits: few open files, and little or no /dev/shm, are told', () => {
  expect(said(limitsCheck, on({ openFiles: 1024 }))).toEqual(['warn', 'at most 1024 open files']);
  expect(said(limitsCheck, on({ freeShmBytes: 64 * 2 ** 20 }))).toEqual(['warn', '64 MiB free in /dev/shm']);
  expect(said(limitsCheck, on({ freeShmBytes: null }))).toEqual(['warn', 'there is no /dev/shm']);
});

test('limits: ranks with GPUs exchange more through /dev/shm', () => {
  const four = on({ freeShmBytes: 4 * gib });
  expect(said(limitsCheck, four)[0]).toBe('ok');
  expect(said(limitsCheck, four, withGpus)).toEqual(['warn', '4 GiB free in /dev/shm']);
});

test('limits: locked memory matters to GPUs of several nodes alone', () => {
  const little = node({ machine: { ok: machine({ lockedMemory: 8 * 2 ** 20 }) }, gpus: nvidia([]) });
  expect(said(limitsCheck, little)[0]).toBe('ok');
  expect(said(limitsCheck, little, withGpus)[0]).toBe('ok');
  expect(said(limitsCheck, little, { ...withGpus, gangs: true })).toEqual([
    'warn',
    'at most 8 MiB of locked memory',
  ]);
});

test('every limit that is too low is told, not the first alone', () => {
  const low = on({ openFiles: 256, freeShmBytes: 0, lockedMemory: 0 });
  expect(limitsCheck.of(low, { ...withGpus, gangs: true }).map(({ status }) => status)).toEqual([
    'warn',
    'warn',
    'warn',
  ]);
});
