import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metrics, openTest, scratch, segmentPaths } from '../testing.ts';
import type { VerifyReport } from './report.ts';
import { verifyLedger } from './verify.ts';

const place = scratch();
let older = '';
let vkey = '';

beforeAll(async () => {
  const ledger = await openTest(place);
  vkey = ledger.vkey;
  await ledger.append(metrics(120));
  older = (await ledger.checkpoint()).note;
  const tailBlob = await ledger.putBlob('the last lines');
  await ledger.append([
    {
      kind: 'attempt.ended',
      study: 'tiny',
      job: '0123456789abcdef',
      attempt: '0123456789abcdef-1',
      node: 'local',
      seq: 121,
      code: 1,
      signal: null,
      reason: 'exited',
      class: null,
      cause: null,
      remedy: null,
      tailBlob,
      lastStep: 3,
    },
  ]);
  await ledger.append(metrics(170));
  await ledger.close();
});
afterAll(() => place[Symbol.dispose]());

function errorsOf(report: VerifyReport): string[] {
  return report.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

/** Changes a file for the time of a check. */
async function withChange(
  path: string,
  change: (bytes: Buffer) => Buffer,
  check: () => Promise<void>,
): Promise<void> {
  const bytes = readFileSync(path);
  rmSync(path);
  writeFileSync(path, change(Buffer.from(bytes)));
  try {
    await check();
  } finally {
    writeFileSync(path, bytes);
  }
}

function flip(at: number, bits: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ bits;
    return bytes;
  };
}

describe('verify', () => {
  it('finds nothing in a ledger that nobody touched', async () => {
    const report = await verifyLedger(place.dir, { vkey, against: older });
    expect(report).toMatchObject({ ok: true, size: 291, sealed: 291, findings: [], keyFrom: 'caller' });
    expect(report.against).toEqual({ size: 120, ok: true });
    expect(report.checkpoints.map(({ size, ok }) => [size, ok])).toEqual([
      [120, true],
      [291, true],
    ]);
    expect(report.blobs).toEqual({ named: 1, unnamed: 0 });
  });

  it('finds and locates any byte flipped in any segment', { timeout: 120_000 }, async () => {
    const paths = segmentPaths(place.dir);
    const spot = fc.integer({ min: 0, max: paths.length - 1 }).chain((segment) =>
      fc.record({
        segment: fc.constant(segment),
        at: fc.integer({ min: 0, max: readFileSync(paths[segment] ?? '').length - 1 }),
        bits: fc.integer({ min: 1, max: 255 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(spot, async ({ segment, at, bits }) => {
        const path = paths[segment] ?? '';
        const line = readFileSync(path).subarray(0, at).toString('latin1').split('\n').length;
        await withChange(path, flip(at, bits), async () => {
          const report = await verifyLedger(place.dir, { vkey });
          expect(report.ok).toBe(false);
          const located = report.findings.find(
            (finding) =>
              finding.severity === 'error' && finding.line === line && path.endsWith(finding.segment ?? '?'),
          );
          expect(located).toMatchObject({ severity: 'error', entry: segment * 100 + line - 1 });
          // Nothing else is blamed, except the neighbour when a border between lines came or went.
          const entry = segment * 100 + line - 1;
          for (const other of report.findings) {
            if (other.segment !== undefined)
              expect(Math.abs((other.entry ?? 0) - entry)).toBeLessThanOrEqual(2);
          }
        });
      }),
      { numRuns: 150 },
    );
  });

  it('locates a change that keeps the line well-formed', async () => {
    const path = segmentPaths(place.dir)[1] ?? '';
    const change = (bytes: Buffer) => Buffer.from(bytes.toString().replace('"step":7,', '"step":8,'));
    await withChange(path, change, async () => {
      const report = await verifyLedger(place.dir);
      expect(errorsOf(report)).toEqual(['root-mismatch', 'entry-altered']);
      const altered = report.findings.find(({ code }) => code === 'entry-altered');
      expect(altered).toMatchObject({ entry: 128, segment: '000000100.jsonl', line: 29 });
      expect(report).toMatchObject({ sealed: 120 });
    });
  });

  it('finds a byte flipped in any other file', { timeout: 60_000 }, async () => {
    const files = readdirSync(place.dir, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.parentPath.endsWith('segments'))
      .map((file) => join(file.parentPath, file.name));
    expect(files.length).toBeGreaterThan(6);
    for (const path of files) {
      const length = readFileSync(path).length;
      const spots = fc.sample(
        fc.tuple(fc.integer({ min: 0, max: length - 1 }), fc.integer({ min: 1, max: 255 })),
        8,
      );
      for (const [at, bits] of spots) {
        await withChange(path, flip(at, bits), async () => {
          const report = await verifyLedger(place.dir);
          expect(report.ok, `${path} at ${at}`).toBe(false);
        });
      }
    }
  });

  it('does not blame entries for a wrong tile', async () => {
    await withChange(join(place.dir, 'tile', '0', '000'), flip(33, 1), async () => {
      expect(errorsOf(await verifyLedger(place.dir))).toEqual(['tile-altered']);
    });
  });

  it('finds lines that were taken out, put in, or put in another order', async () => {
    const path = segmentPaths(place.dir)[0] ?? '';
    const edit = (change: (lines: string[]) => string[]) => (bytes: Buffer) =>
      Buffer.from(change(bytes.toString().split('\n')).join('\n'));
    const edits: [string, (lines: string[]) => string[]][] = [
      ['out', (lines) => lines.toSpliced(40, 1)],
      ['in', (lines) => lines.toSpliced(40, 0, lines[39] ?? '')],
      ['order', (lines) => lines.with(40, lines[41] ?? '').with(41, lines[40] ?? '')],
    ];
    for (const [name, change] of edits) {
      await withChange(path, edit(change), async () => {
        const report = await verifyLedger(place.dir);
        expect(report.ok, name).toBe(false);
        expect(report.findings[0], name).toMatchObject({ code: 'wrong-index', entry: 40, line: 41 });
      });
    }
  });

  it('finds missing segments, missing tails, strangers, missing blobs', async () => {
    using copy = scratch();
    const fresh = () => {
      rmSync(copy.dir, { recursive: true, force: true });
      cpSync(place.dir, copy.dir, { recursive: true });
    };
    fresh();
    rmSync(segmentPaths(copy.dir)[1] ?? '');
    expect(errorsOf(await verifyLedger(copy.dir))).toContain('segment-gap');
    fresh();
    rmSync(segmentPaths(copy.dir)[2] ?? '');
    expect(errorsOf(await verifyLedger(copy.dir))).toContain('entries-missing');
    fresh();
    rmSync(join(copy.dir, 'blobs'), { recursive: true });
    const report = await verifyLedger(copy.dir);
    expect(report.findings).toMatchObject([{ code: 'blob-missing', entry: 120, line: 21 }]);
    fresh();
    writeFileSync(join(copy.dir, 'segments', 'notes.txt'), '');
    expect(await verifyLedger(copy.dir)).toMatchObject({ ok: true, findings: [{ code: 'stranger' }] });
  });

  it('tells entries that no checkpoint covers', async () => {
    using other = scratch();
    const ledger = await openTest(other);
    await ledger.append(metrics(5));
    await ledger.checkpoint();
    await ledger.append(metrics(5));
    const report = await verifyLedger(other.dir);
    expect(report).toMatchObject({ ok: true, sealed: 5, findings: [{ code: 'unsealed', entry: 5 }] });
    await ledger.close();
  });

  it('beside a writer at work finds no error', { timeout: 60_000 }, async () => {
    using other = scratch();
    const ledger = await openTest(other, { segmentEntries: 150 });
    let writing = true;
    const writer = (async () => {
      for (let round = 0; writing; round += 1) {
        const appended = ledger.append(metrics(1 + (round % 300)));
        await Promise.all([ledger.checkpoint(), appended]);
      }
    })();
    for (let round = 0; round < 15; round += 1) expect(errorsOf(await verifyLedger(other.dir))).toEqual([]);
    writing = false;
    await writer;
    await ledger.close();
    expect(await verifyLedger(other.dir)).toMatchObject({ ok: true, findings: [], sealed: ledger.size });
  });

  it('finds a log that was made again from its start, by an older checkpoint held elsewhere', async () => {
    using forged = scratch();
    const ledger = await openTest({ dir: forged.dir, keyFile: place.keyFile });
    await ledger.append(metrics(291));
    await ledger.close();
    expect((await verifyLedger(forged.dir, { vkey })).ok).toBe(true);
    const report = await verifyLedger(forged.dir, { vkey, against: older });
    expect(report.against).toEqual({ size: 120, ok: false });
    expect(errorsOf(report)).toEqual(['against']);
    using short = scratch();
    await (await openTest({ dir: short.dir, keyFile: place.keyFile })).close();
    expect(errorsOf(await verifyLedger(short.dir, { vkey, against: older }))).toEqual(['against']);
  });

  it('does not trust a key that lies in the folder over the one that was given', async () => {
    using forged = scratch();
    const ledger = await openTest(forged);
    await ledger.append(metrics(3));
    await ledger.close();
    expect((await verifyLedger(forged.dir)).ok).toBe(true);
    expect(errorsOf(await verifyLedger(forged.dir, { vkey }))).toEqual(['key', 'checkpoint-signature']);
  });
});
