import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, resumePoints, standing } from './decide.ts';
import { emptyState } from './state.ts';
import { attemptEntries, chain, stateOf } from './testing.ts';

const plan = chain();
const [prepare, sft, rl] = plan.jobs;
const roomy = [{ node: 'local', cores: 8, memoryGb: 64, gpus: 0 }];
const policy = { retries: 2 };
const a = 'a'.repeat(16);
const b = 'b'.repeat(16);
const done = { code: 0, reason: 'exited' };
const failed = { code: 1, reason: 'exited' };

test('with nothing recorded, the first job starts and the others wait', () => {
  const steps = decide(plan, emptyState(), roomy, policy);
  expect(steps.map((step) => [step.do, step.job.name])).toEqual([['start', 'prepare']]);
});

test('a job that is done is left alone and the next one starts', () => {
  const steps = decide(plan, stateOf(attemptEntries(a, 1, done)), roomy, policy);
  expect(steps).toMatchObject([{ do: 'start', job: { name: 'sft/11' }, attempt: `${b}-1`, resumeFrom: [] }]);
});

test('an attempt without an end is attached to, never started again', () => {
  const state = stateOf([...attemptEntries(a, 1, done), ...attemptEntries(b, 1)]);
  expect(decide(plan, state, roomy, policy)).toMatchObject([{ do: 'attach', attempt: { id: `${b}-1` } }]);
});

test('a decision that was never confirmed is a live attempt too', () => {
  const state = stateOf(attemptEntries(a, 1).slice(0, 1));
  expect(decide(plan, state, roomy, policy)).toMatchObject([{ do: 'attach', attempt: { startedAt: null } }]);
});

test('a failed job is tried again from the newest checkpoints of all its attempts', () => {
  const state = stateOf([
    ...attemptEntries(a, 1, done),
    ...attemptEntries(b, 1, failed),
    ...attemptEntries(b, 2, failed),
  ]);
  const [step] = decide(plan, state, roomy, policy);
  expect(step).toMatchObject({ do: 'start', attempt: `${b}-3` });
  expect(step?.do === 'start' ? step.resumeFrom.map((point) => point.step) : []).toEqual([8, 4]);
});

test('a checkpoint that was set aside is not offered again', () => {
  const path = 'out/checkpoint-4';
  const state = stateOf([
    ...attemptEntries(b, 1, failed),
    { kind: 'checkpoint.set-aside', study: 'test', job: b, attempt: `${b}-1`, step: 4, path, why: ['torn'] },
  ]);
  expect(sft === undefined ? null : resumePoints(sft, state)).toEqual([]);
});

test('an attempt that saved before its time limit is no failed try; one that saved nothing is', () => {
  const limited = { code: null, reason: 'time-limit' };
  const attempts = [1, 2, 3, 4].flatMap((number) => attemptEntries(b, number, limited));
  const bodies = [...attemptEntries(a, 1, done), ...attempts];
  expect(decide(plan, stateOf(bodies), roomy, policy)).toMatchObject([{ do: 'start', attempt: `${b}-5` }]);
  const unsaved = bodies.filter(({ kind }) => kind !== 'checkpoint.saved');
  expect(decide(plan, stateOf(unsaved), roomy, policy)).toMatchObject([{ do: 'give-up' }]);
});

test('after the allowed retries the job is given up, once, and what needs it is blocked', () => {
  const attempts = [1, 2, 3].flatMap((number) => attemptEntries(b, number, failed));
  const bodies = [...attemptEntries(a, 1, done), ...attempts];
  expect(decide(plan, stateOf(bodies), roomy, policy)).toMatchObject([
    { do: 'give-up', job: { name: 'sft/11' } },
  ]);
  const given = stateOf([
    ...bodies,
    { kind: 'decision', study: 'test', action: 'give-up', job: b, attempt: null, token: 't', why: 'enough' },
  ]);
  expect(decide(plan, given, roomy, policy)).toEqual([]);
  expect(rl === undefined ? null : standing(plan, given, rl, policy)).toEqual({
    is: 'blocked',
    by: ['sft/11'],
  });
});

test('a failure that a person must look at is not tried again, until they lift it', () => {
  const bodies = [...attemptEntries(a, 1, done), ...attemptEntries(b, 1, { ...failed, policy: 'stop' })];
  expect(decide(plan, stateOf(bodies), roomy, policy)).toMatchObject([{ do: 'give-up' }]);
  const lifted = stateOf([
    ...bodies,
    { kind: 'decision', study: 'test', action: 'lift-stop', job: b, attempt: null, token: 't', why: 'fixed' },
  ]);
  expect(decide(plan, lifted, roomy, policy)).toMatchObject([{ do: 'start', attempt: `${b}-2` }]);
});

test('a stopped job stays stopped', () => {
  const state = stateOf([
    ...attemptEntries(a, 1, done),
    { kind: 'decision', study: 'test', action: 'stop', job: b, attempt: null, token: 't', why: 'no' },
  ]);
  expect(decide(plan, state, roomy, policy)).toEqual([]);
});

test('what somebody ended where it runs stays stopped too, until they lift it', () => {
  const ended = { code: null, reason: 'cancelled', class: 'stopped', policy: 'stop' } as const;
  const bodies = [...attemptEntries(a, 1, done), ...attemptEntries(b, 1, ended)];
  expect(decide(plan, stateOf(bodies), roomy, policy)).toEqual([]);
  const lifted = stateOf([
    ...bodies,
    { kind: 'decision', study: 'test', action: 'lift-stop', job: b, attempt: null, token: 't', why: 'again' },
  ]);
  expect(decide(plan, lifted, roomy, policy)).toMatchObject([{ do: 'start', attempt: `${b}-2` }]);
});

test('a job whose start is being decided holds its nodes, and is not started twice', () => {
  const both = { ...plan, jobs: plan.jobs.slice(0, 2).map((job) => ({ ...job, needs: [] })) };
  const small = [{ node: 'local', cores: 1, memoryGb: 64, gpus: 0 }];
  expect(decide(both, emptyState(), small, policy).map((step) => step.job.name)).toEqual(['prepare']);
  const starting = new Map([[both.jobs[1]?.id ?? fail(), ['local']]]);
  expect(decide(both, emptyState(), small, policy, starting)).toEqual([]);
});

test('what does not fit beside what runs waits for room', () => {
  const wide = { ...plan, jobs: plan.jobs.map((job) => ({ ...job, needs: [] })) };
  const capacity = [{ node: 'local', cores: 2, memoryGb: 9, gpus: 0 }];
  expect(decide(wide, emptyState(), capacity, policy)).toHaveLength(2);
  const busy = stateOf(attemptEntries(a, 1));
  const started = decide(wide, busy, capacity, policy).filter((step) => step.do === 'start');
  expect(started.map((step) => step.job.name)).toEqual(['sft/11']);
});

test('whatever was recorded, no job has two live attempts and no job starts before its inputs', () => {
  const attempt = fc.record({ job: fc.constantFrom(a, b), end: fc.constantFrom(done, failed, undefined) });
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 6 }), (history) => {
      const counts = new Map<string, number>();
      const bodies = history.flatMap(({ job, end }) => {
        const number = (counts.get(job) ?? 0) + 1;
        counts.set(job, number);
        return attemptEntries(job, number, end);
      });
      const state = stateOf(bodies);
      const steps = decide(plan, state, roomy, policy);
      expect(new Set(steps.map(({ job }) => job.id)).size).toBe(steps.length);
      for (const step of steps) {
        if (step.do !== 'start') continue;
        const before = state.jobs.get(step.job.id)?.attempts ?? [];
        expect(before.at(-1)?.ended ?? 'none').not.toBeNull();
        expect(before.map(({ id }) => id)).not.toContain(step.attempt);
      }
    }),
  );
  expect(prepare?.name).toBe('prepare');
});

function fail(): never {
  throw new Error('the fixture is not what the test thinks');
}
