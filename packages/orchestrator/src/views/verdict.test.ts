import type { AuditedJob, JobProgress } from '@her/audit';
import { expect, test } from 'vitest';
import { verdictText } from './verdict.ts';

function job(state: JobProgress): AuditedJob {
  return { job: 'a', attempts: 1, counts: null, state, level: 'bitwise', why: '' };
}

test('the verdict says what was run and what was not', () => {
  const jobs = [job('done'), job('done'), job('running'), job('not run')];
  expect(verdictText({ verdict: 'as planned', jobs })).toBe(
    'No seed differs from the plan, and every effective one of the jobs that ended was read back. Of 4 jobs: 2 done, 1 running, 1 not run.',
  );
  expect(verdictText({ verdict: 'nothing ran', jobs: [job('not run')] })).toBe(
    'Nothing ran to its end yet: there is nothing to judge. Of 1 jobs: 1 not run.',
  );
});
