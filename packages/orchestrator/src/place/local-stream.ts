import { open } from 'node:fs/promises';
import { tarEnd, tarEntry } from '../bundle/archive.ts';
import { HerError } from '../errors.ts';
import type { LocalTree } from './local-tree.ts';
import { numbersOf, type Range } from './ranges.ts';

const piece = 1 << 18;

/** Files of a tree as one tar stream, the first one without `skip` bytes. One piece is in memory at a time. */
export async function* tarOfTree(
  { files }: LocalTree,
  ranges: readonly Range[],
  skip: number,
): AsyncGenerator<Uint8Array> {
  let from = skip;
  for (const number of numbersOf(ranges)) {
    const file = files[number];
    if (file === undefined) throw new TypeError(`there is no file ${number}`);
    const size = file.size - from;
    const { before, after } = tarEntry(file.path, size);
    yield before;
    yield* bytesOf(file.at, from, size);
    yield after;
    from = 0;
  }
  yield tarEnd;
}

/** Exactly so many bytes: what follows them in the stream depends on it. */
async function* bytesOf(at: string, from: number, size: number): AsyncGenerator<Uint8Array> {
  const file = await open(at).catch((cause: unknown) => {
    throw changed(at, cause);
  });
  try {
    for (let done = 0; done < size; ) {
      const buffer = Buffer.allocUnsafe(Math.min(piece, size - done));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from + done);
      if (bytesRead === 0) throw changed(at);
      yield buffer.subarray(0, bytesRead);
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function changed(at: string, cause?: unknown): HerError {
  return new HerError('INPUT_CHANGED', `${at} changed while it was sent`, {
    hint: 'Leave it as it is until it has arrived; what arrived is kept. Then `her resume JOB` and `her run STUDY`.',
    cause,
  });
}
