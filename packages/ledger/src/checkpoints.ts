import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalize } from './canonical-json.ts';
import { replaceFile } from './files.ts';

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
