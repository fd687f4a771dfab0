import { expect, test } from 'vitest';
import type { Submitted } from './agent-replies.ts';
import { openSubmissions, type Submission } from './submissions.ts';

const task = (attempt: string, nodes = 1): Submission => ({
  attempt,
  token: `token of ${attempt}`,
  requests: Array.from({ length: nodes }),
  awaits: [],
});

function recorded(known: ReadonlySet<string> = new Set()) {
  const batches: string[][] = [];
  const submissions = openSubmissions(async (_name, tasks): Promise<Submitted> => {
    const attempts = tasks.map(({ attempt }) => attempt);
    batches.push(attempts);
    const already = attempts.some((attempt) => known.has(attempt));
    return {
      state: already ? 'already' : 'started',
      agent: null,
      tasks: attempts.map((attempt, n) => ({
        attempt,
        job: already && !known.has(attempt) ? null : attempts.length === 1 ? '7' : `7_${n}`,
      })),
    };
  });
  return { batches, submissions };
}

test('starts of one moment and one size are one array; a gang of another size goes by itself', async () => {
  const { batches, submissions } = recorded();
  const jobs = await Promise.all([task('a'), task('b'), task('c', 2)].map((one) => submissions.add(one)));
  expect(batches).toEqual([['a', 'b'], ['c']]);
  expect(jobs.map(({ job }) => job)).toEqual(['7_0', '7_1', '7']);
});

test('one that a former submission of the others left out goes by itself', async () => {
  const { batches, submissions } = recorded(new Set(['a']));
  const jobs = await Promise.all([task('a'), task('b')].map((one) => submissions.add(one)));
  expect(batches).toEqual([['a', 'b'], ['b']]);
  expect(jobs.map(({ state }) => state)).toEqual(['already', 'started']);
});

test('a refusal is told to each that waits', async () => {
  const submissions = openSubmissions(async () => {
    throw new Error('invalid partition');
  });
  const asked = [task('a'), task('b')].map((one) => submissions.add(one));
  for (const one of await Promise.allSettled(asked)) expect(one.status).toBe('rejected');
});
