import type { Entry, EntryOf } from '@her/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedJob } from './planned-job.ts';
import { auditSeeds, type SeedAudit } from './seed-audit.ts';

const reproducibility = { level: 'bitwise', why: 'one process' } as const;
const data = { source: 'data_seed', value: 7, drives: 'rows', effect: 'effective' } as const;
const seed = { source: 'seed', value: 5, drives: 'dropout', effect: 'inert' } as const;
const clock = { source: 'clock', value: null, drives: 'order', effect: 'unseeded' } as const;

function job(name: string, seeds: PlannedJob['seeds'] = [data, seed, clock]): PlannedJob {
  return { id: `id-${name}`, name, stage: 'sft', arm: 'main', seed: 11, seeds, reproducibility };
}

const envelope = { v: 1, time: '2026-11-30T08:00:00.000Z', study: 'tiny', node: 'local' } as const;

function started(i: number, name: string, attempt = 1): EntryOf<'attempt.started'> {
  const of = { job: `id-${name}`, attempt: `id-${name}-${attempt}` };
  const kind = 'attempt.started';
  return { ...envelope, i, kind, ...of, target: 'local', token: 't', pid: 1, bootId: null, agent: null };
}

function ended(i: number, name: string, attempt = 1, code = 0): EntryOf<'attempt.ended'> {
  const of = { job: `id-${name}`, attempt: `id-${name}-${attempt}` };
  const why = { signal: null, class: null, cause: null, remedy: null, tailBlob: null, lastStep: null };
  return { ...envelope, i, kind: 'attempt.ended', ...of, seq: i, code, reason: 'exited', ...why };
}

type Used = EntryOf<'seed.used'>;

function used(i: number, name: string, what: Partial<Used>, attempt = 1): Used {
  const of = { job: `id-${name}`, attempt: `id-${name}-${attempt}` };
  const row = { source: 'data_seed', planned: 7, used: 7, where: 'args.json', status: 'applied' } as const;
  return { ...envelope, i, kind: 'seed.used', ...of, seq: i, ...row, ...what };
}

/** Source and status of every finding. */
function statuses(audit: SeedAudit): string[] {
  return audit.findings.map(({ source, status }) => `${source} ${status}`);
}

describe('the audit of one attempt', () => {
  it('calls a seed applied that the trainer read back, and says where and by which entry', async () => {
    const entries = [
      started(3, 'a'),
      used(4, 'a', {}),
      used(5, 'a', { source: 'seed', planned: 5, used: 5 }),
    ];
    const audit = await auditSeeds([job('a')], entries);
    expect(statuses(audit)).toEqual(['data_seed applied', 'seed applied', 'clock unseeded']);
    expect(audit.findings[0]).toEqual({
      job: 'a',
      attempt: 'id-a-1',
      source: 'data_seed',
      planned: 7,
      used: 7,
      where: 'args.json',
      status: 'applied',
      effect: 'effective',
      drives: 'rows',
      decides: true,
      entries: [4],
    });
    expect(audit.ok).toBe(true);
  });

  it('calls a seed the same whether it is written as a number or as a text', async () => {
    const audit = await auditSeeds([job('a', [data])], [started(0, 'a'), used(1, 'a', { used: '7' })]);
    expect(statuses(audit)).toEqual(['data_seed applied']);
  });

  it('is not ok when a seed differs, effective or inert', async () => {
    for (const row of [data, seed]) {
      const entries = [started(0, 'a'), used(1, 'a', { source: row.source, used: 8 })];
      const audit = await auditSeeds([job('a', [row])], entries);
      expect(audit.findings[0]).toMatchObject({ status: 'differs', planned: row.value, used: 8 });
      expect(audit.ok).toBe(false);
    }
  });

  it('calls a seed unconfirmed that was never read back: not ok where it has an effect', async () => {
    const missing = used(1, 'a', { used: null, status: 'missing' });
    const over = [started(0, 'a'), ended(2, 'a')];
    for (const entries of [over, [...over, missing]]) {
      const audit = await auditSeeds([job('a', [data])], entries);
      expect(statuses(audit)).toEqual(['data_seed unconfirmed']);
      expect(audit.ok).toBe(false);
    }
    expect((await auditSeeds([job('a', [seed])], over)).ok).toBe(true);
  });

  it('calls a seed running that may still be read back, and nothing as planned before any is', async () => {
    const audit = await auditSeeds([job('a', [data, seed])], [started(0, 'a')]);
    expect(statuses(audit)).toEqual(['data_seed running', 'seed running']);
    expect(audit).toMatchObject({ ok: false, verdict: 'nothing ran' });
    expect(audit.jobs[0]).toMatchObject({ state: 'running', counts: 'id-a-1' });
    const early = await auditSeeds([job('a', [data, seed])], [started(0, 'a'), used(1, 'a', { used: 8 })]);
    expect(early.verdict).toBe('not as planned');
  });

  it('does not let a second reading hide one that differs', async () => {
    const readings = [used(1, 'a', {}), used(2, 'a', { used: 9, where: 'log' }), used(3, 'a', {})];
    const audit = await auditSeeds([job('a', [data])], [started(0, 'a'), ...readings]);
    expect(audit.findings).toHaveLength(1);
    expect(audit.findings[0]).toMatchObject({ status: 'differs', used: 9, where: 'log', entries: [1, 2, 3] });
  });

  it('lists a source that nobody planned, without blame', async () => {
    const other = used(1, 'a', { source: 'numpy', planned: null, used: 3, status: 'unplanned' });
    const audit = await auditSeeds([job('a', [])], [started(0, 'a'), other, ended(2, 'a')]);
    expect(audit.findings[0]).toMatchObject({
      source: 'numpy',
      status: 'unplanned',
      planned: null,
      used: 3,
      effect: 'unknown',
      entries: [1],
    });
    expect(audit.ok).toBe(true);
  });
});

describe('the audit of several attempts', () => {
  it('calls the seeds of a job without any not run, and what has no seed unseeded', async () => {
    const audit = await auditSeeds([job('a'), job('b')], [started(0, 'b'), ended(1, 'b')]);
    expect(statuses(audit).slice(0, 3)).toEqual(['data_seed not run', 'seed not run', 'clock unseeded']);
    expect(audit.findings[0]?.attempt).toBeNull();
    expect(audit.jobs.map(({ job: name, attempts }) => [name, attempts])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect(await auditSeeds([job('a')], [])).toMatchObject({ ok: false, verdict: 'nothing ran' });
  });

  it('judges by the one that succeeded; what an abandoned one did is listed and does not decide', async () => {
    const first = [started(0, 'a'), ended(1, 'a', 1, 1)];
    const second = [started(2, 'a', 2), used(3, 'a', {}, 2), ended(4, 'a', 2)];
    const audit = await auditSeeds([job('a', [data])], [...first, ...second]);
    expect(audit.findings.map(({ status, decides }) => [status, decides])).toEqual([
      ['unconfirmed', false],
      ['applied', true],
    ]);
    expect(audit).toMatchObject({ ok: true, verdict: 'as planned' });
    expect(audit.jobs[0]).toMatchObject({ state: 'done', counts: 'id-a-2' });
    const third = [started(5, 'a', 3), used(6, 'a', { used: 8 }, 3), ended(7, 'a', 3, 1)];
    expect((await auditSeeds([job('a', [data])], [...first, ...second, ...third])).ok).toBe(true);
  });

  it('lists what jobs of a former plan used, under the name they were registered by', async () => {
    const blob = '0'.repeat(64);
    const jobs = [{ id: 'id-old', name: 'sft/7', stage: 'sft', arm: 'main', seed: 7 }];
    const study = { name: 'tiny', digest: blob, fileBlob: blob, planBlob: blob, jobs };
    const entries: Entry[] = [
      { ...envelope, i: 0, kind: 'study.registered', ...study },
      started(1, 'old'),
      used(2, 'old', { used: 8 }),
      started(3, 'unknown'),
    ];
    const audit = await auditSeeds([job('a', [data])], entries);
    expect(audit.former).toEqual([
      { job: 'sft/7', id: 'id-old', attempts: 1 },
      { job: 'id-unknown', id: 'id-unknown', attempts: 1 },
    ]);
    expect(audit.findings.slice(1)).toMatchObject([
      { job: 'sft/7', status: 'former plan', planned: 7, used: 8, decides: false },
    ]);
    expect(audit.verdict).toBe('nothing ran');
  });

  it('lists each on its own: a resume with another seed is found', async () => {
    const entries = [started(0, 'a'), used(1, 'a', {}), started(2, 'a', 2), used(3, 'a', { used: 8 }, 2)];
    const audit = await auditSeeds([job('a', [data])], entries);
    expect(audit.findings.map(({ attempt, status }) => [attempt, status])).toEqual([
      ['id-a-1', 'applied'],
      ['id-a-2', 'differs'],
    ]);
    const judged = { counts: 'id-a-2', state: 'running', level: 'bitwise', why: 'one process' };
    expect(audit.jobs).toEqual([{ job: 'a', attempts: 2, ...judged }]);
    expect(audit.ok).toBe(false);
  });

  it('counts an attempt once, and one that is known by its seeds alone', async () => {
    const twice = await auditSeeds([job('a', [data])], [started(0, 'a'), started(1, 'a'), used(2, 'a', {})]);
    expect(twice.jobs[0]?.attempts).toBe(1);
    const seedsOnly = await auditSeeds([job('a', [data])], [used(2, 'a', {})]);
    expect(statuses(seedsOnly)).toEqual(['data_seed applied']);
    expect(seedsOnly.jobs[0]?.attempts).toBe(1);
  });

  it('does not mix the jobs', async () => {
    const entries = [started(0, 'a'), started(1, 'b'), used(2, 'b', { used: 8 }), ended(3, 'a')];
    const audit = await auditSeeds([job('a', [data]), job('b', [data])], entries);
    expect(statuses(audit)).toEqual(['data_seed unconfirmed', 'data_seed differs']);
  });
});

describe('the audit of a ledger', () => {
  const names = ['a', 'b', 'c'];
  const anyEntry = fc
    .record({
      name: fc.constantFrom(...names),
      attempt: fc.integer({ min: 1, max: 3 }),
      source: fc.constantFrom('started', 'ended', 'data_seed', 'seed', 'numpy'),
      value: fc.constantFrom(5, '5', 7, 8, null),
    })
    .map(({ name, attempt, source, value }) => (i: number): Entry => {
      if (source === 'started') return started(i, name, attempt);
      if (source === 'ended') return ended(i, name, attempt, value === 7 ? 0 : 1);
      const status = value === null ? 'missing' : 'applied';
      return used(i, name, { source, used: value, status }, attempt);
    });
  const anyLedger = fc.array(anyEntry, { maxLength: 30 }).map((make) => make.map((entry, i) => entry(i)));
  const jobs = names.map((name) => job(name));

  it('is the same in whatever order its entries are read, at once or as a stream', async () => {
    const shuffled = anyLedger.chain((entries) =>
      fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([entries, others]) => {
        expect(await auditSeeds(jobs, streamed(others))).toEqual(await auditSeeds(jobs, entries));
      }),
    );
  });

  it('has one count for each finding, one row for each planned source and attempt, and is ok by its own rule', async () => {
    await fc.assert(
      fc.asyncProperty(anyLedger, async (entries) => {
        const { findings, counts, ok, jobs: rows } = await auditSeeds(jobs, entries);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(findings.length);
        const planned = rows.reduce((sum, { attempts }) => sum + 3 * Math.max(1, attempts), 0);
        expect(findings.length - counts.unplanned).toBe(planned);
        const deciding = findings.filter(({ decides }) => decides);
        const bad = deciding.some(
          ({ status, effect }) =>
            status === 'differs' || (status === 'unconfirmed' && effect === 'effective'),
        );
        if (bad || rows.every(({ attempts }) => attempts === 0)) expect(ok).toBe(false);
        else if (rows.some(({ state }) => state === 'done')) expect(ok).toBe(true);
        for (const { job: name, counts: counting } of rows)
          for (const one of deciding.filter(({ job: of }) => of === name)) expect(one.attempt).toBe(counting);
      }),
    );
  });
});

async function* streamed(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}
