import { expect, test } from 'vitest';
import { classify } from '../../failures.ts';
import { endingOf } from './endings.ts';
import { gone, type JobState, missing } from './job-state.ts';

const over = (word: string, more: Partial<JobState> = {}): JobState => ({
  ...gone,
  is: 'over',
  word,
  ...more,
});

test.each([
  ['TIMEOUT', 'time-limit', 'infrastructure', 'retry'],
  ['PREEMPTED', 'preempted', 'infrastructure', 'retry'],
  ['NODE_FAIL', 'node-fail', 'infrastructure', 'retry'],
  ['BOOT_FAIL', 'boot-fail', 'infrastructure', 'retry'],
  ['OUT_OF_MEMORY', 'out-of-memory', 'resource', 'stop'],
  ['DEADLINE', 'deadline', 'resource', 'stop'],
  ['CANCELLED', 'cancelled', 'stopped', 'stop'],
])('%s is told apart', (word, reason, kind, policy) => {
  const found = endingOf(over(word), true);
  expect(found.reason).toBe(reason);
  const ending = { code: null, signal: null, tail: '', lastStep: 3, reason };
  expect(classify(ending)).toMatchObject({ class: kind, policy });
});

test('a job that ended like any program lost its agent, or never had one', () => {
  expect(endingOf(over('FAILED', { exitCode: 1, nodes: 'h1' }), true)).toEqual({
    reason: 'agent-lost',
    message: 'Slurm says of its job: FAILED on h1, exit code 1',
  });
  expect(endingOf(over('FAILED', { exitCode: 1 }), false).reason).toBe('not-started');
  expect(endingOf(over('FAILED', { outOfMemory: true }), true).reason).toBe('out-of-memory');
});

test('a second life of a job, which an agent refuses, ends the attempt', () => {
  for (const begun of [true, false])
    expect(endingOf(over('FAILED', { exitCode: 75 }), begun).reason).toBe('requeued');
});

test('a cancellation names who did it', () => {
  expect(endingOf(over('CANCELLED', { by: 1000 }), false).message).toBe(
    'Slurm says of its job: CANCELLED by user 1000',
  );
});

test('a task that is missing from its array was cancelled, or had begun and is gone', () => {
  expect(endingOf(missing, false)).toEqual({
    reason: 'cancelled',
    message: 'Slurm says of its job: its array goes on without it',
  });
  expect(endingOf(missing, true).reason).toBe('job-gone');
  expect(endingOf(gone, false).reason).toBe('job-gone');
});
