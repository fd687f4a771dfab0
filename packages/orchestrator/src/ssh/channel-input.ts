import { once } from 'node:events';
import type { ClientChannel } from 'ssh2';
import type { RunOptions } from '../targets/runner.ts';

const piece = 256 * 1024;

/** Writes a command's standard input, no faster than it is taken, and closes it. Stops when the channel closes. */
export async function feed(channel: ClientChannel, input: NonNullable<RunOptions['input']>): Promise<void> {
  const closed = new AbortController();
  channel.once('close', () => closed.abort());
  channel.once('exit', () => closed.abort());
  try {
    for await (const chunk of pieces(input)) {
      if (closed.signal.aborted) return;
      if (!channel.write(chunk)) await once(channel, 'drain', { signal: closed.signal });
    }
    channel.end();
  } catch (error) {
    if (!closed.signal.aborted) throw error;
  }
}

async function* pieces(input: NonNullable<RunOptions['input']>): AsyncGenerator<Uint8Array> {
  if (typeof input !== 'string' && !(input instanceof Uint8Array)) {
    yield* input;
    return;
  }
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
}
