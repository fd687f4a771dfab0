import { expect, test } from 'vitest';
import { classify, type Ending, failureTable } from './failures.ts';

const ending = (more: Partial<Ending>): Ending => ({
  code: 1,
  signal: null,
  reason: 'exited',
  tail: '',
  lastStep: null,
  ...more,
});

test('a stop that a person asked for is not tried again', () => {
  expect(classify(ending({ reason: 'stopped', signal: 'SIGTERM' }))).toMatchObject({
    class: 'stopped',
    policy: 'stop',
  });
});

test('a full disk is told from the agent or from the last lines, before anything else in them', () => {
  expect(classify(ending({ reason: 'disk-full' })).class).toBe('resource');
  const tail = 'RuntimeError: PytorchStreamWriter failed\nOSError: [Errno 28] No space left on device';
  expect(classify(ending({ tail })).cause).toContain('disk');
});

test.each([
  ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate', 'resource', 'stop'],
  ['sft.py: error: argument --max_length/--max-length: invalid int value', 'configuration', 'stop'],
  ['omegaconf.errors.ConfigAttributeError: Key x is not in struct', 'configuration', 'stop'],
  ['[rank0]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7', 'infrastructure', 'retry'],
  ['OSError: [Errno 98] Address already in use', 'infrastructure', 'retry'],
  ['safetensors_rust.SafetensorError: Error while deserializing header', 'data', 'retry'],
])('%s', (tail, kind, policy) => {
  const code = tail.startsWith('sft.py') ? 2 : 1;
  expect(classify(ending({ tail, code, lastStep: 3 }))).toMatchObject({ class: kind, policy });
});

test('SIGKILL from outside is of unknown cause and tried again, with its code or its signal', () => {
  expect(classify(ending({ code: 247, signal: 'SIGKILL', reason: 'signalled' }))).toMatchObject({
    class: 'unknown',
    policy: 'retry',
  });
});

test('an unexplained exit code is tried again only after a first step', () => {
  expect(classify(ending({}))).toMatchObject({ class: 'unknown', policy: 'stop' });
  expect(classify(ending({ lastStep: 12 }))).toMatchObject({ class: 'unknown', policy: 'retry' });
  expect(classify(ending({ lastStep: 12 })).cause).toContain('after step 12');
});

test('every row has a name of its own and says what to do', () => {
  const names = failureTable.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const row of failureTable) expect(row.remedy, row.name).not.toBe('');
});
