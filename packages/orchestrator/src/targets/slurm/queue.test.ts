import { expect, test } from 'vitest';
import type { RunResult } from '../runner.ts';
import { standingWords } from './job-state.ts';
import { openQueue } from './queue.ts';

type Said = { squeue?: Partial<RunResult>; sacct?: Partial<RunResult> };

/** A queue whose clock stands between two looks, over what Slurm's commands say. */
function over(said: Said) {
  const calls: string[][] = [];
  let now = 0;
  const queue = openQueue({
    every: 1_000,
    now: () => now,
    runner: {
      run: async (argv) => {
        const command = argv.find((word) => word === 'squeue' || word === 'sacct') ?? '';
        calls.push([command, ...argv.filter((word) => word.startsWith('--jobs='))]);
        return { exitCode: 0, stdout: '', stderr: '', ...said[command as keyof Said] };
      },
    },
  });
  return { queue, calls, pass: () => (now += 1_500), said };
}

const noJob = { exitCode: 1, stderr: 'slurm_load_jobs error: Invalid job id specified\n' };
const noAccounting = { exitCode: 1, stderr: 'Slurm accounting storage is disabled\n' };

test('a job that waits has its reason, which may hold anything, and when it may start', async () => {
  const { queue } = over({ squeue: { stdout: '7|PENDING|1796000000||(Nodes required|DOWN)\n' } });
  const state = await queue.stateOf('7');
  expect(state).toMatchObject({ is: 'pending', reason: '(Nodes required|DOWN)' });
  expect(standingWords('7', state)).toBe(
    "job 7 waits in Slurm's queue: (Nodes required|DOWN); expected to start 2026-11-30T00:53:20Z",
  );
});

test('all who ask at once share one look, and the next comes when the answer is old', async () => {
  const { queue, calls, pass } = over({
    squeue: { stdout: '7_0|RUNNING|1|h1|None\n7_1|PENDING|N/A||Priority\n' },
  });
  const states = await Promise.all(['7_0', '7_1'].map((job) => queue.stateOf(job)));
  expect(states.map(({ is }) => is)).toEqual(['active', 'pending']);
  await queue.stateOf('7_0');
  expect(calls).toEqual([['squeue', '--jobs=7']]);
  pass();
  await queue.stateOf('7_0');
  expect(calls).toHaveLength(2);
});

test('accounting says who cancelled it and which step starved; then nobody is asked again', async () => {
  const sacct = [
    '7|CANCELLED by 1000|0:0|1|h1||190M|None',
    '8|FAILED|1:0|1|h1||190M|None',
    '8.batch|OUT_OF_MEMORY|0:125|1|h1|100K||',
    '9|FAILED|9:0|1|h1||190M|None',
    '9.0|CANCELLED by 0|0:9|1|h1|603228K||',
  ].join('\n');
  const { queue, calls, pass } = over({ squeue: noJob, sacct: { stdout: sacct } });
  const [seven, eight, nine] = await Promise.all(['7', '8', '9'].map((job) => queue.stateOf(job)));
  expect(seven).toMatchObject({ is: 'over', word: 'CANCELLED', by: 1000 });
  expect(eight).toMatchObject({ is: 'over', word: 'FAILED', outOfMemory: true, exitCode: 1 });
  expect(nine).toMatchObject({ word: 'FAILED', outOfMemory: true });
  pass();
  await queue.stateOf('7');
  expect(calls).toHaveLength(2);
});

test('a task that its array goes on without is over, though nobody has a row of it', async () => {
  const rows = { stdout: '7_0|PENDING|N/A||Priority\n7_2|PENDING|N/A||Priority\n' };
  for (const sacct of [{ stdout: '7_[0,2]|PENDING|0:0|Unknown|None assigned|||\n' }, noAccounting]) {
    const { queue } = over({ squeue: rows, sacct });
    const [none, one, two] = await Promise.all(['7_0', '7_1', '7_2'].map((job) => queue.stateOf(job)));
    expect([none?.is, two?.is]).toEqual(['pending', 'pending']);
    expect(one).toMatchObject({ is: 'over', word: 'GONE' });
  }
});

test.each([
  ['7|CANCELLED by 5|0:0|1|None assigned|||', ['over', 'over', 'over']],
  ['7_[0,2-5%1]|CANCELLED by 5|0:0|1|None assigned|||', ['over', 'unknown', 'over']],
  ['7_[1]|CANCELLED by 5|0:0|1|None assigned|||\n7_0|COMPLETED|0:0|1|h1|||', ['over', 'over', 'unknown']],
])('accounting has one row for tasks that ended before they began: %s', async (stdout, standing) => {
  const { queue } = over({ squeue: noJob, sacct: { stdout } });
  const states = await Promise.all(['7_0', '7_1', '7_2'].map((job) => queue.stateOf(job)));
  expect(states.map(({ is }) => is)).toEqual(standing);
  for (const { word, by } of states) if (word === 'CANCELLED') expect(by).toBe(5);
});

test.each([
  ['accounting lags behind: it still says that the job runs', { stdout: '7|RUNNING|0:0|1|h1||190M|None\n' }],
  ['accounting has no row of it', {}],
  ['there is no accounting', noAccounting],
])('a job that the controller does not know is unknown, not over: %s', async (_, sacct) => {
  const { queue, pass, said } = over({ squeue: noJob, sacct });
  expect(await queue.stateOf('7')).toMatchObject({ is: 'unknown', word: 'GONE' });
  said.sacct = { exitCode: 0, stdout: '7|NODE_FAIL|0:0|1|h1||190M|None\n', stderr: '' };
  pass();
  expect(await queue.stateOf('7')).toMatchObject({ is: 'over', word: 'NODE_FAIL' });
});

test('without accounting the controller alone says how it ended', async () => {
  const { queue } = over({ squeue: { stdout: '7|TIMEOUT|1|h1|TimeLimit\n' }, sacct: noAccounting });
  expect(await queue.stateOf('7')).toMatchObject({ is: 'over', word: 'TIMEOUT' });
});

test.each([
  [
    'squeue',
    { squeue: { exitCode: 1, stderr: 'slurm_load_jobs error: Unable to contact slurm controller\n' } },
  ],
  ['sacct', { squeue: noJob, sacct: { exitCode: 1, stderr: 'sacct: error: Connection refused\n' } }],
])('silence of %s says nothing about the job', async (command, said) => {
  await expect(over(said).queue.stateOf('7')).rejects.toMatchObject({
    code: 'AGENT_UNREACHABLE',
    message: expect.stringContaining(`Slurm does not answer ${command}`),
  });
});

test('a word of a later Slurm proves nothing', async () => {
  const { queue } = over({ squeue: { stdout: '7|TELEPORTED|1|h1|None\n' } });
  expect(await queue.stateOf('7')).toMatchObject({ is: 'active' });
});
