/** The lines of a stream, without their ends; a last line without an end is given too. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      held.push(bytes.subarray(from, end));
      yield (held.length === 1 ? (held[0] ?? bytes) : Buffer.concat(held)).toString('utf8');
      held = [];
      from = end + 1;
    }
    if (from < bytes.length) held.push(bytes.subarray(from));
  }
  if (held.length > 0) yield Buffer.concat(held).toString('utf8');
}
