import type { ClientChannel } from 'ssh2';

/** What is kept of an output: all of it up to a limit, or its end alone. */
export class Kept {
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #most: number;
  #over = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size > this.#most) {
      this.#over = true;
      this.#size -= this.#chunks.shift()?.length ?? 0;
    }
  }

  /** Whether something of the beginning is gone. */
  get over(): boolean {
    return this.#over;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

const highest = 4 * 1024 * 1024;
const lowest = 1024 * 1024;

/** The bytes of a channel's standard output as they come, no more of them held than a reader is behind. */
export async function* chunksOf(channel: ClientChannel, over: Promise<void>): AsyncGenerator<Uint8Array> {
  let chunks: Buffer[] = [];
  let held = 0;
  let ended = false;
  let wake: () => void = () => undefined;
  channel.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held >= highest) channel.pause();
    wake();
  });
  const end = (): void => {
    ended = true;
    wake();
  };
  channel.once('end', end);
  void over.then(end, end);
  for (;;) {
    const ready = chunks;
    chunks = [];
    for (const chunk of ready) {
      held -= chunk.length;
      yield chunk;
      if (held <= lowest && channel.isPaused()) channel.resume();
    }
    if (chunks.length > 0) continue;
    if (ended) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      // Something may have come while the last chunk was with the reader.
      if (chunks.length > 0 || ended) resolve();
    });
  }
}

/** How the command of a channel ended, once both of its outputs have. */
export function endOf(
  channel: ClientChannel,
): Promise<{ code: number | undefined; signal: string | undefined }> {
  const stderr = new Promise<void>((resolve) => channel.stderr.once('close', resolve));
  return new Promise((resolve) => {
    channel.once('close', (code?: number | null, signal?: string) => {
      void stderr.then(() => resolve({ code: code ?? undefined, signal }));
    });
  });
}
