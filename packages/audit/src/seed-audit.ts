import type { Entry, EntryOf } from '@her/ledger';

/** What the audit needs to know of a planned job. */
export type PlannedJob = {
  id: string;
  name: string;
  stage: string;
  arm: string;
  seed: number | null;
  seeds: readonly {
    source: string;
    value: number | null;
    drives: string;
    effect: 'effective' | 'inert' | 'unseeded';
  }[];
  reproducibility: { level: 'bitwise' | 'seeded' | 'unseeded'; why: string };
};

/**
 * What became of one planned random source in one attempt.
 * `applied`: the trainer itself reported the planned value back; `unconfirmed`: it ran and nothing was read back.
 */
export type SeedStatus = 'applied' | 'differs' | 'unconfirmed' | 'unseeded' | 'not run' | 'unplanned';

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
  /** Indices of the ledger entries this rests on. */
  entries: number[];
};

export type SeedAudit = {
  findings: SeedFinding[];
  jobs: { job: string; attempts: number; level: PlannedJob['reproducibility']['level']; why: string }[];
  counts: Record<SeedStatus, number>;
  /** False when a seed that was used is not the planned one, or an effective one was never read back. */
  ok: boolean;
};

type SeedUsed = EntryOf<'seed.used'>;

/** Every random source that was planned, beside what the trainers said they used, attempt by attempt. */
export async function auditSeeds(
  jobs: readonly PlannedJob[],
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): Promise<SeedAudit> {
  const seen: (EntryOf<'attempt.started'> | SeedUsed)[] = [];
  for await (const entry of entries) {
    if (entry.kind === 'attempt.started' || entry.kind === 'seed.used') seen.push(entry);
  }
  // The ledger's own order, whichever way it was read.
  seen.sort((a, b) => a.i - b.i);
  const attemptsOf = new Map(
    jobs.map(({ id }) => [id, unique(seen.filter(({ job }) => job === id).map(({ attempt }) => attempt))]),
  );
  const used = seen.filter((entry) => entry.kind === 'seed.used');
  const findings = jobs.flatMap((job) => jobFindings(job, attemptsOf.get(job.id) ?? [], used));
  const counts: Record<SeedStatus, number> = {
    applied: 0,
    differs: 0,
    unconfirmed: 0,
    unseeded: 0,
    'not run': 0,
    unplanned: 0,
  };
  for (const { status } of findings) counts[status] += 1;
  return {
    findings,
    jobs: jobs.map((job) => ({
      job: job.name,
      attempts: attemptsOf.get(job.id)?.length ?? 0,
      level: job.reproducibility.level,
      why: job.reproducibility.why,
    })),
    counts,
    ok: findings.every(
      ({ status, effect }) => status !== 'differs' && !(status === 'unconfirmed' && effect === 'effective'),
    ),
  };
}

function jobFindings(job: PlannedJob, attempts: readonly string[], used: readonly SeedUsed[]): SeedFinding[] {
  if (attempts.length === 0) return job.seeds.map((row) => finding(job, null, row, []));
  return attempts.flatMap((attempt) => {
    const seen = used.filter((entry) => entry.attempt === attempt);
    const planned = job.seeds.map((row) =>
      finding(
        job,
        attempt,
        row,
        seen.filter(({ source }) => source === row.source),
      ),
    );
    const others = seen.filter(({ source }) => !job.seeds.some((row) => row.source === source));
    return [...planned, ...others.map((entry) => unplanned(job, entry))];
  });
}

/** A source may be read back more than once (by every rank, or after a resume): one that differs is what is shown. */
function finding(
  job: PlannedJob,
  attempt: string | null,
  row: PlannedJob['seeds'][number],
  seen: readonly SeedUsed[],
): SeedFinding {
  const readBack = seen.filter(({ used, status }) => used !== null && status !== 'missing');
  const other = readBack.find(({ used }) => String(used) !== String(row.value));
  const shown = other ?? readBack[0] ?? seen[0];
  return {
    job: job.name,
    attempt,
    source: row.source,
    planned: row.value,
    used: shown?.used ?? null,
    where: shown?.where ?? null,
    status: statusOf(row, attempt, readBack.length > 0, other !== undefined),
    effect: row.effect,
    drives: row.drives,
    entries: seen.map(({ i }) => i),
  };
}

function statusOf(
  row: PlannedJob['seeds'][number],
  attempt: string | null,
  confirmed: boolean,
  differs: boolean,
): SeedStatus {
  if (row.effect === 'unseeded') return 'unseeded';
  if (attempt === null) return 'not run';
  if (!confirmed) return 'unconfirmed';
  return differs ? 'differs' : 'applied';
}

function unplanned(job: PlannedJob, entry: SeedUsed): SeedFinding {
  const { attempt, source, used, where, i } = entry;
  return {
    job: job.name,
    attempt,
    source,
    planned: null,
    used,
    where,
    status: 'unplanned',
    effect: 'unknown',
    drives: '',
    entries: [i],
  };
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
