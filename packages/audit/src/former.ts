import type { Attempt } from './attempts.ts';
import type { SeedEntry } from './entries.ts';
import { readingFinding, type SeedFinding } from './findings.ts';
import type { PlannedJob } from './planned-job.ts';

/** A job of a former version of the study; its name is the one it was registered under, else its id. */
export type FormerJob = { job: string; id: string; attempts: number };

/** The jobs that the ledger has attempts of and the plan has not. */
export function formerJobs(
  jobs: readonly PlannedJob[],
  attempts: ReadonlyMap<string, readonly Attempt[]>,
  entries: readonly SeedEntry[],
): FormerJob[] {
  const planned = new Set(jobs.map(({ id }) => id));
  const registered = entries.flatMap((entry) => ('planBlob' in entry ? (entry.jobs ?? []) : []));
  const names = new Map(registered.map(({ id, name }) => [id, name]));
  return [...attempts]
    .filter(([id]) => !planned.has(id))
    .map(([id, own]) => ({ job: names.get(id) ?? id, id, attempts: own.length }));
}

/** What former jobs' trainers reported back; it decides nothing about the plan of today. */
export function formerFindings(
  former: readonly FormerJob[],
  attempts: ReadonlyMap<string, readonly Attempt[]>,
): SeedFinding[] {
  return former.flatMap(({ job, id }) =>
    (attempts.get(id) ?? []).flatMap(({ used }) =>
      used.map((entry) => ({
        ...readingFinding(job, entry, 'former plan'),
        planned: typeof entry.planned === 'number' ? entry.planned : null,
      })),
    ),
  );
}
