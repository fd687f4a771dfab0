import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry, EntryBody } from './entries/types.ts';
import { leafHash } from './merkle/hash.ts';
import { verifyConsistency, verifyInclusion } from './merkle/proofs.ts';
import { readEntries } from './segments/read.ts';
import { metric, metrics, openTest, scratch, segmentPaths } from './testing.ts';
import { verifyLedger } from './verify/verify.ts';

async function all(source: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of source) entries.push(entry);
  return entries;
}

describe('append', () => {
  it('gives entries their position and time, and reads back what was given', async () => {
    using place = scratch();
    const ledger = await openTest(place, { clock: () => 1_764_489_600_123 });
    const [first, second] = await ledger.append(metrics(2));
    expect(first).toEqual({ v: 1, i: 0, time: '2025-11-30T08:00:00.123Z', ...metric(0) });
    expect(second?.i).toBe(1);
    expect(await all(ledger.entries())).toEqual([first, second]);
    await ledger.close();
    expect(await all(readEntries(place.dir))).toEqual([first, second]);
  });

  it('keeps the order of concurrent callers, over segment borders', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    const results = await Promise.all(
      Array.from({ length: 250 }, (_, at) => ledger.append([metric(at), metric(at)])),
    );
    expect(results.flat().map(({ i }) => i)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    await ledger.close();
    expect(readdirSync(join(place.dir, 'segments'))).toEqual(
      [0, 100, 200, 300, 400].map((first) => `${String(first).padStart(9, '0')}.jsonl`),
    );
    const steps = (await all(readEntries(place.dir, { from: 299, to: 303 }))).map(
      (e) => e.kind === 'metric' && e.step,
    );
    expect(steps).toEqual([149, 150, 150, 151]);
    expect((await verifyLedger(place.dir)).ok).toBe(true);
  });

  it('spells numbers that JSON cannot carry', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    const [entry] = await ledger.append([
      metric(1, { a: Number.NaN, b: -Infinity, c: 1e17, d: 2 ** 53, e: 1e-9 }),
    ]);
    expect(entry).toMatchObject({
      values: { a: 'NaN', b: '-Infinity', c: '1e+17', d: '9.007199254740992e+15', e: 1e-9 },
    });
    await ledger.close();
    expect((await verifyLedger(place.dir)).ok).toBe(true);
  });

  it('refuses what is no entry, and records none of a bad append', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    const refused = (body: object, code: string) =>
      expect(ledger.append([metric(1), body as EntryBody])).rejects.toMatchObject({ code });
    await refused({ kind: 'surprise', study: 'tiny' }, 'LEDGER_KIND_UNKNOWN');
    await refused({ ...metric(1), step: -1 }, 'LEDGER_ENTRY_INVALID');
    await refused({ ...metric(1), extra: 1 }, 'LEDGER_ENTRY_INVALID');
    await refused({ ...metric(1), i: 7 }, 'LEDGER_ENTRY_INVALID');
    await refused({ ...metric(1), node: '\ud800' }, 'LEDGER_UNREPRESENTABLE');
    const data = { big: 'x'.repeat(65_535) };
    await refused({ kind: 'note', study: 'tiny', text: '', data }, 'LEDGER_ENTRY_TOO_LARGE');
    expect(ledger.size).toBe(0);
    const good = ledger.append([metric(1)]);
    const bad = ledger.append([{ kind: 'note', study: 'tiny', text: '', data }]);
    await expect(bad).rejects.toMatchObject({ code: 'LEDGER_ENTRY_TOO_LARGE' });
    expect((await good)[0]?.i).toBe(0);
    await ledger.close();
    await expect(ledger.append(metrics(1))).rejects.toMatchObject({ code: 'LEDGER_CLOSED' });
  });

  it('notices another writer, and then writes no more', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    await ledger.append(metrics(2));
    appendFileSync(join(place.dir, 'segments', '000000000.jsonl'), 'x');
    await expect(ledger.append(metrics(1))).rejects.toMatchObject({ code: 'LEDGER_LOCK_LOST' });
    await expect(ledger.append(metrics(1))).rejects.toMatchObject({ code: 'LEDGER_IO' });
    rmSync(join(place.dir, 'lock'));
    await expect(ledger.checkpoint()).rejects.toMatchObject({ code: 'LEDGER_LOCK_LOST' });
    await expect(ledger.close()).rejects.toMatchObject({ code: 'LEDGER_LOCK_LOST' });
  });
});

describe('proofs of an open ledger', () => {
  it('hold for entries on disk and in memory, and between checkpoints', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    await ledger.append(metrics(300));
    const older = await ledger.checkpoint();
    await ledger.append(metrics(400));
    const lines = segmentPaths(place.dir).flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
    for (const index of [0, 255, 256, 299, 300, 511, 699]) {
      const leaf = leafHash(Buffer.from(lines[index] ?? ''));
      expect(verifyInclusion(leaf, index, 700, await ledger.inclusionProof(index), ledger.root())).toBe(true);
    }
    const proof = await ledger.consistencyProof(older.size);
    expect(verifyConsistency(300, Buffer.from(older.root, 'base64'), 700, ledger.root(), proof)).toBe(true);
    await ledger.close();
  });
});

describe('opening', () => {
  it('goes on where the last writer stopped, from its tiles', async () => {
    using place = scratch();
    for (let round = 1; round <= 6; round += 1) {
      const ledger = await openTest(place);
      expect(ledger.recovery).toMatchObject({ torn: [], rehashed: 0, tilesRebuilt: false });
      await ledger.append(metrics(173));
      await ledger.close();
      expect(await verifyLedger(place.dir)).toMatchObject({ ok: true, size: 173 * round, findings: [] });
    }
  });

  it.each([
    ['half a line', (line: string) => line.slice(0, 40)],
    ['a line without its newline', (line: string) => line.trimEnd()],
    ['garbage and newlines', () => '\0\0\0\n{"v":1\n\0'],
  ])('sets %s aside, and reports it', async (_name, tear) => {
    using place = scratch();
    const first = await openTest(place);
    await first.append(metrics(130));
    await first.close();
    const path = segmentPaths(place.dir)[1] ?? '';
    const lines = readFileSync(path, 'utf8');
    const torn = tear(lines.slice(0, lines.indexOf('\n') + 1).replace('"i":100', '"i":130'));
    appendFileSync(path, torn);
    const ledger = await openTest(place);
    expect(ledger.size).toBe(130);
    const [report] = ledger.recovery.torn;
    expect(report).toMatchObject({
      file: 'segments/000000100.jsonl',
      offset: lines.length,
      bytes: torn.length,
    });
    expect(readFileSync(join(place.dir, report?.kept ?? ''), 'utf8')).toBe(torn);
    expect(readFileSync(path, 'utf8')).toBe(lines);
    await ledger.append(metrics(1));
    await ledger.close();
    expect(await verifyLedger(place.dir)).toMatchObject({ ok: true, size: 131, torn: 1 });
  });

  it('makes tiles and checkpoint again when they are gone or wrong', async () => {
    using place = scratch();
    const first = await openTest(place);
    await first.append(metrics(700));
    await first.close();
    writeFileSync(join(place.dir, 'tile', '0', '002.p', '188'), Buffer.alloc(188 * 32));
    rmSync(join(place.dir, 'checkpoint'));
    const ledger = await openTest(place);
    expect(ledger.recovery).toMatchObject({ tilesRebuilt: true, rehashed: 700 });
    await ledger.append(metrics(1));
    await ledger.close();
    rmSync(join(place.dir, 'tile'), { recursive: true });
    const again = await openTest(place);
    await again.append(metrics(1));
    await again.close();
    expect(await verifyLedger(place.dir)).toMatchObject({ ok: true, size: 702, findings: [] });
  });

  it('refuses a log that lost entries that were signed', async () => {
    using place = scratch();
    const first = await openTest(place);
    await first.append(metrics(150));
    await first.close();
    const path = segmentPaths(place.dir)[1] ?? '';
    truncateSync(path, 100);
    const before = readFileSync(path);
    await expect(openTest(place)).rejects.toMatchObject({ code: 'LEDGER_ENTRIES_LOST' });
    expect(readFileSync(path)).toEqual(before);
    expect(existsSync(join(place.dir, 'lock'))).toBe(false);
    rmSync(path);
    await expect(openTest(place)).rejects.toMatchObject({ code: 'LEDGER_ENTRIES_LOST' });
  });

  it('refuses a log whose unsigned tail has a bad line before a good one', async () => {
    using place = scratch();
    const first = await openTest(place);
    await first.append(metrics(10));
    await first.close();
    appendFileSync(segmentPaths(place.dir)[0] ?? '', 'garbage\n{"i":11}\n');
    await expect(openTest(place)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });

  it('sets half a checkpoint aside, and refuses a lost one', async () => {
    using place = scratch();
    const first = await openTest(place);
    await first.append(metrics(10));
    await first.close();
    appendFileSync(join(place.dir, 'checkpoints.jsonl'), '{"note":"her');
    const ledger = await openTest(place);
    expect(ledger.recovery.torn).toMatchObject([{ file: 'checkpoints.jsonl', bytes: 12 }]);
    await ledger.close();
    rmSync(join(place.dir, 'checkpoints.jsonl'));
    await expect(openTest(place)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });

  it('refuses another log and another key', async () => {
    using place = scratch();
    await (await openTest(place)).close();
    await expect(openTest(place, { origin: 'her.local/other' })).rejects.toMatchObject({
      code: 'LEDGER_KEY',
    });
    await expect(openTest(place, { keyFile: `${place.keyFile}2` })).rejects.toMatchObject({
      code: 'LEDGER_KEY',
    });
    const elsewhere = { origin: 'her.local/other', keyFile: `${place.keyFile}3` };
    await expect(openTest(place, elsewhere)).rejects.toMatchObject({ code: 'LEDGER_ORIGIN_MISMATCH' });
    const bad = { origin: 'two words', keyFile: `${place.keyFile}4` };
    await expect(openTest({ ...place, dir: join(place.path, 'b') }, bad)).rejects.toThrow();
  });
});

describe('reading', () => {
  it('passes over kinds it does not know, and says so', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    await ledger.append(metrics(1));
    await ledger.close();
    appendFileSync(segmentPaths(place.dir)[0] ?? '', '{"i":1,"kind":"from.the-future","v":1}\n');
    const unknown: string[] = [];
    const entries = await all(readEntries(place.dir, { onUnknown: ({ kind }) => unknown.push(kind) }));
    expect([entries.length, unknown]).toEqual([1, ['from.the-future']]);
  });

  it('ends at the last whole line, and stops at a changed one', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    await ledger.append(metrics(3));
    await ledger.close();
    const path = segmentPaths(place.dir)[0] ?? '';
    appendFileSync(path, '{"i":3');
    expect(await all(readEntries(place.dir))).toHaveLength(3);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"i":1', '"i":7'));
    await expect(all(readEntries(place.dir))).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });

  it('of no ledger gives nothing', async () => {
    using place = scratch();
    expect(await all(readEntries(place.dir))).toEqual([]);
    await expect(verifyLedger(place.dir)).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
  });
});

describe('blobs', () => {
  it('are named by their hash, kept once, and checked when read', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    const name = await ledger.putBlob('abc');
    expect(name).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(await ledger.putBlob(Buffer.from('abc'))).toBe(name);
    expect((await ledger.getBlob(name)).toString()).toBe('abc');
    const path = join(place.dir, 'blobs', 'sha256', 'ba', name);
    rmSync(path);
    await expect(ledger.getBlob(name)).rejects.toMatchObject({ code: 'LEDGER_BLOB' });
    writeFileSync(path, 'abd');
    await expect(ledger.getBlob(name)).rejects.toMatchObject({ code: 'LEDGER_BLOB' });
    await expect(ledger.getBlob('../../origin')).rejects.toMatchObject({ code: 'LEDGER_BLOB' });
    await ledger.close();
  });
});
