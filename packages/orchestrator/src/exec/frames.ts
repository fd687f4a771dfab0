export type Frame = { stream: 'out' | 'err'; data: Uint8Array };

/** What the far side cannot mean: somebody else printed something in between, a login script say. */
export class NoFrame extends Error {
  override name = 'NoFrame';
}

/** Pieces of the two streams, as they come. */
export async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    for (;;) {
      const kind = held[0];
      if (kind !== undefined && kind !== 0x6f && kind !== 0x65) throw new NoFrame();
      if (held.length < 5) break;
      const size = held.readUInt32BE(1);
      if (size > 65_536) throw new NoFrame();
      if (held.length < 5 + size) break;
      yield { stream: kind === 0x6f ? 'out' : 'err', data: held.subarray(5, 5 + size) };
      held = held.subarray(5 + size);
    }
  }
}
