import { type Attempt, countingAttempt } from './attempts.ts';
import type { SeedUsed } from './entries.ts';
import type { PlannedJob } from './planned-job.ts';

export const seedStatuses = [
  'applied',
  'differs',
  'unconfirmed',
  'running',
  'unseeded',
  'not run',
  'unplanned',
  'former plan',
] as const;

/**
 * What became of one random source in one attempt.
 * `applied`: the trainer itself reported the planned value back; `unconfirmed`: it ran and nothing was read back;
 * `running`: nothing was read back yet; `former plan`: the job is in no current plan.
 */
export type SeedStatus = (typeof seedStatuses)[number];

export type SeedFinding = {
  job: string;
  attempt: string | null;
  source: string;
  planned: number | null;
  used: string | number | null;
  where: string | null;
  status: SeedStatus;
  effect: 'effective' | 'inert' | 'unseeded' | 'unknown';
  drives: string;
  /** Whether it is of the attempt that its job is judged by. */
  decides: boolean;
  /** Indices of the ledger entries this rests on. */
  entries: number[];
};

/** The findings of a planned job, attempt by attempt. */
export function jobFindings(job: PlannedJob, attempts: readonly Attempt[]): SeedFinding[] {
  const counting = countingAttempt(attempts);
  if (counting === undefined) return job.seeds.map((row) => finding(job, undefined, false, row));
  return attempts.flatMap((attempt) => {
    const decides = attempt === counting;
    const planned = job.seeds.map((row) => finding(job, attempt, decides, row));
    const others = attempt.used.filter(({ source }) => !job.seeds.some((row) => row.source === source));
    return [
      ...planned,
      ...others.map((entry) => ({ ...readingFinding(job.name, entry, 'unplanned'), decides })),
    ];
  });
}

/** A reading that no row of the plan stands beside. */
export function readingFinding(job: string, entry: SeedUsed, status: SeedStatus): SeedFinding {
  const { attempt, source, used, where, i } = entry;
  return {
    job,
    attempt,
    source,
    planned: null,
    used,
    where,
    status,
    effect: 'unknown',
    drives: '',
    decides: false,
    entries: [i],
  };
}

/** A source may be read back more than once (by every rank, or after a resume): one that differs is what is shown. */
function finding(
  job: PlannedJob,
  attempt: Attempt | undefined,
  decides: boolean,
  row: PlannedJob['seeds'][number],
): SeedFinding {
  const seen = attempt?.used.filter(({ source }) => source === row.source) ?? [];
  const readBack = seen.filter(({ used, status }) => used !== null && status !== 'missing');
  const other = readBack.find(({ used }) => String(used) !== String(row.value));
  const shown = other ?? readBack[0] ?? seen[0];
  return {
    job: job.name,
    attempt: attempt?.id ?? null,
    source: row.source,
    planned: row.value,
    used: shown?.used ?? null,
    where: shown?.where ?? null,
    status: statusOf(row, attempt, readBack.length > 0, other !== undefined),
    effect: row.effect,
    drives: row.drives,
    decides,
    entries: seen.map(({ i }) => i),
  };
}

function statusOf(
  row: PlannedJob['seeds'][number],
  attempt: Attempt | undefined,
  confirmed: boolean,
  differs: boolean,
): SeedStatus {
  if (row.effect === 'unseeded') return 'unseeded';
  if (attempt === undefined) return 'not run';
  if (!confirmed) return attempt.state === 'running' ? 'running' : 'unconfirmed';
  return differs ? 'differs' : 'applied';
}
