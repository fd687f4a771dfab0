import type { JobProgress, SeedAudit } from '@her/audit';

/** The last sentence of an audit: what the verdict is, and on how much of the plan it rests. */
export function verdictText({ verdict, jobs }: Pick<SeedAudit, 'verdict' | 'jobs'>): string {
  const count = (state: JobProgress): number => jobs.filter((job) => job.state === state).length;
  const states: readonly JobProgress[] = ['done', 'failed', 'running', 'not run'];
  const parts = states.filter((state) => count(state) > 0).map((state) => `${count(state)} ${state}`);
  return `${sentences[verdict]} Of ${jobs.length} jobs: ${parts.join(', ')}.`;
}

const sentences: Record<SeedAudit['verdict'], string> = {
  'as planned':
    'No seed differs from the plan, and every effective one of the jobs that ended was read back.',
  'not as planned': 'A seed differs from the plan, or was never read back.',
  'nothing ran': 'Nothing ran to its end yet: there is nothing to judge.',
};
