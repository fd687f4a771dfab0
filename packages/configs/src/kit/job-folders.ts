import type { Job, JobId } from '../plan/job.ts';

/** The folder of each job under `jobs/`: its name with `-` for `/`, and the start of its id where two would share one. */
export function jobFolders(jobs: readonly Pick<Job, 'id' | 'name'>[]): Map<JobId, string> {
  const plain = (name: string): string => name.replaceAll('/', '-');
  const uses = new Map<string, number>();
  for (const { name } of jobs) uses.set(plain(name), (uses.get(plain(name)) ?? 0) + 1);
  return new Map(
    jobs.map(({ id, name }) => {
      const folder = plain(name);
      return [id, uses.get(folder) === 1 ? folder : `${folder}-${id.slice(0, 8)}`];
    }),
  );
}
