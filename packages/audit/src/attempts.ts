import type { SeedEntry, SeedUsed } from './entries.ts';

/** One attempt as the ledger has it, with what its trainer reported back. */
export type Attempt = { id: string; state: 'done' | 'failed' | 'running'; used: SeedUsed[] };

/** The attempts of every job in the ledger, each in the order in which they began. */
export function attemptsByJob(entries: readonly SeedEntry[]): Map<string, Attempt[]> {
  const jobs = new Map<string, Attempt[]>();
  for (const entry of entries) {
    if (!('attempt' in entry)) continue;
    const attempts = jobs.get(entry.job) ?? [];
    jobs.set(entry.job, attempts);
    let attempt = attempts.find(({ id }) => id === entry.attempt);
    if (attempt === undefined) {
      attempt = { id: entry.attempt, state: 'running', used: [] };
      attempts.push(attempt);
    }
    if (entry.kind === 'seed.used') attempt.used.push(entry);
    if (entry.kind === 'attempt.ended')
      attempt.state = entry.code === 0 && entry.reason === 'exited' ? 'done' : 'failed';
  }
  return jobs;
}

/** The attempt that a job is judged by: the one whose output is used, else the latest. */
export function countingAttempt(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.find(({ state }) => state === 'done') ?? attempts.at(-1);
}
