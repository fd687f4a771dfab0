import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, LedgerError } from '../errors.ts';
import { listIfThere, readIfThere } from '../files.ts';
import type { Tile } from '../merkle/edges.ts';
import { type NoteVerifier, parseVkey } from '../note/keys.ts';
import { openNote } from '../opening.ts';
import { checkBlobs } from './check-blobs.ts';
import { checkCheckpoints, type ExpectedRoot } from './check-checkpoints.ts';
import { type TileFault, tileFaults } from './check-tiles.ts';
import { judge } from './judge.ts';
import { LeafTiles } from './leaf-tiles.ts';
import { Findings, type VerifyReport } from './report.ts';
import { scanSegments } from './scan.ts';

export interface VerifyOptions {
  /** The log's public key, from anywhere but its own folder. Default: the folder's. */
  readonly vkey?: string;
  /** A checkpoint note of this log that was kept elsewhere: the log must have only grown since. */
  readonly against?: string;
}

/**
 * Checks a ledger from its stored bytes alone. Takes no lock, changes nothing, and may run beside a writer.
 * @throws {LedgerError} `LEDGER_MISSING` when there is no such folder; all else is a finding
 */
export async function verifyLedger(dir: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  await refuseWhenMissing(dir);
  const findings = new Findings();
  const origin = await readOrigin(dir, findings);
  const verifier = await readVerifier(dir, options.vkey, findings);
  const older = openOlder(options.against, origin, verifier, findings);
  // Before the lines: what a writer adds meanwhile is then beyond the last root we expect.
  const { checked, expected } = await checkCheckpoints(dir, origin, verifier, findings);
  const roots = [...expected, ...(older ? [older] : [])].sort((a, b) => a.size - b.size);
  const sealedSize = expected.at(-1)?.size ?? 0;
  const leaves = new LeafTiles(dir);
  const faults: TileFault[] = [];
  const checkTile = async (tile: Tile) => {
    const required = (tile.index + 1) * 256 ** (tile.level + 1) <= sealedSize;
    faults.push(...(await tileFaults(dir, tile, required)));
  };
  const scan = await scanSegments(dir, roots, leaves, checkTile, findings);
  for (const tile of scan.partials) faults.push(...(await tileFaults(dir, tile, scan.size === sealedSize)));
  await judge(scan, expected, faults, leaves, findings);
  const blobs = await checkBlobs(dir, scan.blobs, findings);
  const checkpoints = checked.map((checkpoint) => ({
    ...checkpoint,
    ok: !failedAt(scan.failed, checkpoint.line),
  }));
  const sealed = checkpoints.reduce((most, { ok, size }) => (ok ? Math.max(most, size) : most), 0);
  if (sealed < scan.size && findings.errors === 0) {
    findings.warning('unsealed', `entries ${sealed} to ${scan.size - 1} are under no checkpoint yet`, {
      entry: sealed,
    });
  }
  const against = older && { size: older.size, ok: !scan.failed.has(older) };
  if (against?.ok === false) {
    findings.error(
      'against',
      `this log does not contain the log of ${against.size} entries that the older checkpoint signed`,
    );
  }
  return {
    ok: findings.errors === 0,
    origin,
    vkey: verifier?.vkey,
    keyFrom: options.vkey === undefined ? 'ledger' : 'caller',
    size: scan.size,
    root: scan.root.toString('base64'),
    sealed,
    checkpoints,
    against,
    blobs,
    torn: (await listIfThere(join(dir, 'torn'))).filter((name) => name.endsWith('.json')).length,
    findings: findings.list,
    more: findings.more,
  };
}

function failedAt(failed: ReadonlySet<ExpectedRoot>, line: number): boolean {
  for (const root of failed) if (root.line === line) return true;
  return false;
}

async function refuseWhenMissing(dir: string): Promise<void> {
  try {
    await stat(join(dir, 'origin'));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || (await listIfThere(join(dir, 'segments'))).length > 0) return;
    throw new LedgerError('LEDGER_MISSING', `there is no ledger in ${dir}`);
  }
}

async function readOrigin(dir: string, findings: Findings): Promise<string | undefined> {
  const text = (await readIfThere(join(dir, 'origin')))?.toString('utf8');
  if (text?.endsWith('\n') && text.indexOf('\n') === text.length - 1) return text.slice(0, -1);
  findings.error('origin', 'the file origin is missing or is not one line');
  return undefined;
}

async function readVerifier(
  dir: string,
  given: string | undefined,
  findings: Findings,
): Promise<NoteVerifier | undefined> {
  const stored = (await readIfThere(join(dir, 'log.vkey')))?.toString('utf8');
  if (given !== undefined && stored?.trimEnd() !== given.trimEnd()) {
    findings.error('key', 'log.vkey is not the key that was given');
  }
  const text = given ?? stored;
  if (text === undefined) {
    findings.error('key', 'log.vkey is missing, and no key was given');
    return undefined;
  }
  try {
    const verifier = parseVkey(text);
    if (given !== undefined || `${verifier.vkey}\n` === text) return verifier;
    findings.error('key', 'log.vkey is not one line');
    return verifier;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    findings.error('key', error.message);
    return undefined;
  }
}

function openOlder(
  note: string | undefined,
  origin: string | undefined,
  verifier: NoteVerifier | undefined,
  findings: Findings,
): ExpectedRoot | undefined {
  if (note === undefined || verifier === undefined) return undefined;
  try {
    const { size, root } = openNote(note, origin ?? verifier.name, verifier);
    return { size, root, line: 0 };
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    findings.error('against', `the older checkpoint cannot be used: ${error.message}`);
    return undefined;
  }
}
