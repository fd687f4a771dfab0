import { open } from 'node:fs/promises';

const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

/** Whole lines of a file, together: they start at `offset`, and each ends in a newline. */
export interface LineBlock {
  readonly offset: number;
  readonly bytes: Buffer;
  /** False for what follows the last newline of the file. */
  readonly whole: boolean;
}

/**
 * Streams the whole lines of a file in large blocks; last, if anything follows the last newline, that.
 * @param end stop before this byte (a live writer's unacknowledged bytes)
 */
export async function* lineBlocks(
  path: string,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<LineBlock, void> {
  const handle = await open(path, 'r');
  try {
    let offset = start;
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, end - offset - rest.length)));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset + rest.length);
      if (bytesRead === 0) {
        if (rest.length > 0) yield { offset, bytes: rest, whole: false };
        return;
      }
      const bytes =
        rest.length === 0
          ? chunk.subarray(0, bytesRead)
          : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const cut = bytes.lastIndexOf(NEWLINE) + 1;
      if (cut > 0) yield { offset, bytes: bytes.subarray(0, cut), whole: true };
      offset += cut;
      rest = bytes.subarray(cut);
    }
  } finally {
    await handle.close();
  }
}

/** Cuts a block into its lines, without their newlines. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  let at = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return;
    yield bytes.subarray(at, newline);
    at = newline + 1;
  }
}

/** Where the `count`-th line of a block starts, or how many lines it has when fewer. */
export function skipLines(bytes: Buffer, count: number): { skipped: number; at: number } {
  let at = 0;
  for (let skipped = 0; skipped < count; skipped += 1) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return { skipped, at };
    at = newline + 1;
  }
  return { skipped: count, at };
}
