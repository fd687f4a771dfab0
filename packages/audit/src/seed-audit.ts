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

/** Every random source that was planned, beside what the trainers said they used, attempt by attempt. */
export async function auditSeeds(
  jobs: readonly PlannedJob[],
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): Promise<SeedAudit> {
  const attempts = new Map<string, string[]>();
  const used = new Map<string, EntryOf<'seed.used'>[]>();
  for await (const entry of entries) {
    if (entry.kind === 'attempt.started') append(attempts, entry.job, entry.attempt);
    if (entry.kind === 'seed.used') append(used, entry.attempt, entry);
  }
  const findings = jobs.flatMap((job) => jobFindings(job, attempts.get(job.id) ?? [], used));
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
      attempts: attempts.get(job.id)?.length ?? 0,
      level: job.reproducibility.level,
      why: job.reproducibility.why,
    })),
    counts,
    ok: findings.every(
      ({ status, effect }) => status !== 'differs' && !(status === 'unconfirmed' && effect === 'effective'),
    ),
  };
}

function jobFindings(
  job: PlannedJob,
  attempts: readonly string[],
  used: Map<string, EntryOf<'seed.used'>[]>,
): SeedFinding[] {
  if (attempts.length === 0) return job.seeds.map((row) => finding(job, null, row, undefined));
  return attempts.flatMap((attempt) => {
    const seen = used.get(attempt) ?? [];
    const planned = job.seeds.map((row) =>
      finding(
        job,
        attempt,
        row,
        seen.find(({ source }) => source === row.source),
      ),
    );
    const others = seen.filter(({ source }) => !job.seeds.some((row) => row.source === source));
    return [...planned, ...others.map((entry) => unplanned(job, entry))];
  });
}

function finding(
  job: PlannedJob,
  attempt: string | null,
  row: PlannedJob['seeds'][number],
  seen: EntryOf<'seed.used'> | undefined,
): SeedFinding {
  return {
    job: job.name,
    attempt,
    source: row.source,
    planned: row.value,
    used: seen?.used ?? null,
    where: seen?.where ?? null,
    status: statusOf(row, attempt, seen),
    effect: row.effect,
    drives: row.drives,
    entries: seen === undefined ? [] : [seen.i],
  };
}

function statusOf(
  row: PlannedJob['seeds'][number],
  attempt: string | null,
  seen: EntryOf<'seed.used'> | undefined,
): SeedStatus {
  if (row.effect === 'unseeded') return 'unseeded';
  if (attempt === null) return 'not run';
  if (seen === undefined) return 'unconfirmed';
  return String(seen.used) === String(row.value) ? 'applied' : 'differs';
}

function unplanned(job: PlannedJob, entry: EntryOf<'seed.used'>): SeedFinding {
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

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
