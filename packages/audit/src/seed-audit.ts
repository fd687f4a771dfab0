import type { Entry } from '@her/ledger';
import { type Attempt, attemptsByJob, countingAttempt } from './attempts.ts';
import { isSeedEntry } from './entries.ts';
import { jobFindings, type SeedFinding, type SeedStatus, seedStatuses } from './findings.ts';
import { type FormerJob, formerFindings, formerJobs } from './former.ts';
import type { PlannedJob } from './planned-job.ts';

/** How far a job is, by the attempt that counts. */
export type JobProgress = 'done' | 'failed' | 'running' | 'not run';

export type AuditedJob = {
  job: string;
  attempts: number;
  /** The attempt that this job is judged by: the successful one, else the latest. */
  counts: string | null;
  state: JobProgress;
  level: PlannedJob['reproducibility']['level'];
  why: string;
};

/** `nothing ran`: there is nothing to judge yet. */
export type Verdict = 'as planned' | 'not as planned' | 'nothing ran';

export type SeedAudit = {
  findings: SeedFinding[];
  jobs: AuditedJob[];
  /** Jobs that the ledger has attempts of and the plan of today has not. */
  former: FormerJob[];
  counts: Record<SeedStatus, number>;
  verdict: Verdict;
  /** True when something ran, every seed that was read back is the planned one, and no effective one is missing. */
  ok: boolean;
};

/** Every random source that was planned, beside what the trainers said they used, attempt by attempt. */
export async function auditSeeds(
  jobs: readonly PlannedJob[],
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): Promise<SeedAudit> {
  const seen = [];
  for await (const entry of entries) if (isSeedEntry(entry)) seen.push(entry);
  // The ledger's own order, whichever way it was read.
  seen.sort((a, b) => a.i - b.i);
  const attempts = attemptsByJob(seen);
  const of = (job: PlannedJob): Attempt[] => attempts.get(job.id) ?? [];
  const planned = jobs.flatMap((job) => jobFindings(job, of(job)));
  const former = formerJobs(jobs, attempts, seen);
  const findings = [...planned, ...formerFindings(former, attempts)];
  const rows = jobs.map((job) => auditedJob(job, of(job)));
  const verdict = judge(rows, planned);
  return {
    findings,
    jobs: rows,
    former,
    counts: countStatuses(findings),
    verdict,
    ok: verdict === 'as planned',
  };
}

function auditedJob(job: PlannedJob, attempts: readonly Attempt[]): AuditedJob {
  const counting = countingAttempt(attempts);
  return {
    job: job.name,
    attempts: attempts.length,
    counts: counting?.id ?? null,
    state: counting?.state ?? 'not run',
    level: job.reproducibility.level,
    why: job.reproducibility.why,
  };
}

/** Only findings of attempts that count decide; a job that runs has ended nothing and may still read its seeds back. */
function judge(jobs: readonly AuditedJob[], findings: readonly SeedFinding[]): Verdict {
  const deciding = findings.filter(({ decides }) => decides);
  const bad = deciding.some(
    ({ status, effect }) => status === 'differs' || (status === 'unconfirmed' && effect === 'effective'),
  );
  if (bad) return 'not as planned';
  const ended = jobs.some(({ state }) => state === 'done' || state === 'failed');
  return ended || deciding.some(({ status }) => status === 'applied') ? 'as planned' : 'nothing ran';
}

function countStatuses(findings: readonly SeedFinding[]): Record<SeedStatus, number> {
  const count = (status: SeedStatus): number => findings.filter((one) => one.status === status).length;
  return Object.fromEntries(seedStatuses.map((status) => [status, count(status)])) as Record<
    SeedStatus,
    number
  >;
}
