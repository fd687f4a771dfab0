import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckpointLine, checkpointPath, checkpointsPath, parseCheckpointLine } from './checkpoints.ts';
import { errnoOf, LedgerError } from './errors.ts';
import { readIfThere, replaceFile } from './files.ts';
import { type CheckpointBody, isOrigin, parseCheckpoint } from './note/checkpoint.ts';
import { type NoteVerifier, verifyNote } from './note/keys.ts';
import { parseNote } from './note/signed-note.ts';
import { listSegments } from './segments/layout.ts';
import { setAside, type TornReport } from './torn.ts';

/** More than any checkpoint line of ours takes. */
const TAIL_BYTES = 1 << 16;

/**
 * Writes a log's origin and public key into its folder, or checks that they are the ones there.
 * @throws {LedgerError} `LEDGER_ORIGIN_MISMATCH`, `LEDGER_KEY`, `LEDGER_CORRUPT`
 */
export async function claimFolder(dir: string, origin: string, vkey: string): Promise<void> {
  if (!isOrigin(origin)) {
    throw new LedgerError('LEDGER_ORIGIN_MISMATCH', `${JSON.stringify(origin)} cannot name a log`, {
      hint: 'use a schema-less URL, for example her.local/my-study: no spaces, no +',
    });
  }
  const path = join(dir, 'origin');
  const there = (await readIfThere(path))?.toString('utf8').trimEnd();
  if (there === undefined) {
    const { segments } = await listSegments(dir);
    if (segments.length > 0) throw new LedgerError('LEDGER_CORRUPT', `${dir} has entries but no origin`);
    await replaceFile(path, `${origin}\n`);
  } else if (there !== origin) {
    throw new LedgerError('LEDGER_ORIGIN_MISMATCH', `${dir} is the log ${there}, not ${origin}`);
  }
  const keyPath = join(dir, 'log.vkey');
  const known = (await readIfThere(keyPath))?.toString('utf8').trimEnd();
  if (known === undefined) await replaceFile(keyPath, `${vkey}\n`);
  else if (known !== vkey) {
    throw new LedgerError('LEDGER_KEY', `the signing key is not the one that ${dir} was begun with`, {
      hint: `its checkpoints are signed by ${known}`,
    });
  }
}

/** The newest checkpoint that was signed, checked, after the tail of `checkpoints.jsonl` was put in order. */
export async function latestCheckpoint(
  dir: string,
  origin: string,
  verifier: NoteVerifier,
): Promise<{ latest: { line: CheckpointLine; body: CheckpointBody } | undefined; torn: TornReport[] }> {
  const tail = await readTail(checkpointsPath(dir));
  const end = tail.bytes.lastIndexOf(0x0a) + 1;
  const rest = tail.bytes.subarray(end);
  const torn: TornReport[] = [];
  if (rest.length > 0) {
    const why = 'a checkpoint was not written to its end';
    torn.push(await setAside(dir, checkpointsPath(dir), tail.offset + end, rest, why));
  }
  const note = (await readIfThere(checkpointPath(dir)))?.toString('utf8');
  if (end === 0) {
    if (note !== undefined) throw lostCheckpoints();
    return { latest: undefined, torn };
  }
  const start = tail.bytes.lastIndexOf(0x0a, end - 2) + 1;
  const line = parseCheckpointLine(tail.bytes.toString('utf8', start, end - 1));
  if (line === undefined) throw lostCheckpoints();
  const body = openNote(line.note, origin, verifier);
  if (note !== line.note) {
    if (note !== undefined && openNote(note, origin, verifier).size > body.size) throw lostCheckpoints();
    await replaceFile(checkpointPath(dir), line.note);
  }
  return { latest: { line, body }, torn };
}

/**
 * Reads and checks a checkpoint note of one log.
 * @throws {LedgerError} `LEDGER_NOTE_MALFORMED`, `LEDGER_SIGNATURE`, `LEDGER_ORIGIN_MISMATCH`
 */
export function openNote(note: string, origin: string, verifier: NoteVerifier): CheckpointBody {
  const signed = parseNote(note);
  verifyNote(signed, [verifier]);
  const body = parseCheckpoint(signed.text);
  if (body.origin === origin) return body;
  throw new LedgerError('LEDGER_ORIGIN_MISMATCH', `a checkpoint of ${body.origin}, not of ${origin}`);
}

async function readTail(path: string): Promise<{ offset: number; bytes: Buffer }> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      const offset = Math.max(0, size - TAIL_BYTES);
      const bytes = Buffer.alloc(size - offset);
      await handle.read(bytes, 0, bytes.length, offset);
      return { offset, bytes };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { offset: 0, bytes: Buffer.alloc(0) };
    throw error;
  }
}

function lostCheckpoints(): LedgerError {
  return new LedgerError('LEDGER_CORRUPT', 'checkpoints.jsonl lost a checkpoint, or was changed', {
    hint: 'verify the ledger to find what was changed; nothing was written',
  });
}
