import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Writes a process's standard input, no faster than it is taken, and closes it. A process that has ended takes no more,
 * which is no error here: how it ended says what happened.
 */
export async function feedProcess(stdin: Writable, input: AsyncIterable<Uint8Array>): Promise<void> {
  const closed = new AbortController();
  stdin.on('error', () => closed.abort());
  stdin.once('close', () => closed.abort());
  for await (const chunk of input) {
    if (closed.signal.aborted) return;
    if (!stdin.write(chunk)) await once(stdin, 'drain', { signal: closed.signal }).catch(() => undefined);
  }
  if (!closed.signal.aborted) stdin.end();
}
