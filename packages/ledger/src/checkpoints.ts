import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalize } from './canonical-json.ts';
import { LedgerError } from './errors.ts';
import { readIfThere, replaceFile } from './files.ts';

/** A line of `checkpoints.jsonl`: a checkpoint that was signed. */
export interface CheckpointLine {
  readonly size: number;
  /** Base64, as in the note. */
  readonly root: string;
  /** The whole signed note. */
  readonly note: string;
}

export function checkpointPath(dir: string): string {
  return join(dir, 'checkpoint');
}

export function checkpointsPath(dir: string): string {
  return join(dir, 'checkpoints.jsonl');
}

/** Records a signed checkpoint: first among all that were ever signed, then as the latest. */
export async function recordCheckpoint(dir: string, line: CheckpointLine): Promise<void> {
  const bytes = Buffer.from(`${canonicalize(line)}\n`);
  const handle = await open(checkpointsPath(dir), 'a');
  try {
    const { size } = await handle.stat();
    try {
      await handle.appendFile(bytes);
      await handle.datasync();
    } catch (error) {
      await handle.truncate(size);
      throw error;
    }
  } finally {
    await handle.close();
  }
  await replaceFile(checkpointPath(dir), line.note);
}

/** Parses a line of `checkpoints.jsonl`; `undefined` when it is not one. */
export function parseCheckpointLine(text: string): CheckpointLine | undefined {
  try {
    const value = JSON.parse(text) as Partial<CheckpointLine> | null;
    if (value === null || typeof value !== 'object') return undefined;
    const { size, root, note } = value;
    if (typeof size !== 'number' || typeof root !== 'string' || typeof note !== 'string') return undefined;
    return { size, root, note };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Every checkpoint ever signed, oldest first, and the bytes after the last whole line. */
export async function readCheckpoints(
  dir: string,
): Promise<{ lines: CheckpointLine[]; rest: Buffer; end: number }> {
  const bytes = (await readIfThere(checkpointsPath(dir))) ?? Buffer.alloc(0);
  const end = bytes.lastIndexOf(0x0a) + 1;
  const texts = end === 0 ? [] : bytes.toString('utf8', 0, end - 1).split('\n');
  const lines = texts.map((text, at) => {
    const line = parseCheckpointLine(text);
    if (line !== undefined) return line;
    throw new LedgerError('LEDGER_CORRUPT', `line ${at + 1} of checkpoints.jsonl is not a checkpoint`, {
      hint: 'verify the ledger to find what was changed',
    });
  });
  return { lines, rest: bytes.subarray(end), end };
}
