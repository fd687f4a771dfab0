import { canonicalize } from './canonical-json.ts';
import type { Entry, EntryBody } from './entries/types.ts';
import { LedgerError } from './errors.ts';
import { MAX_LINE_BYTES } from './segments/layout.ts';

/** Entries in one write: enough to make the sync cheap, few enough to stay responsive. */
const BATCH_ENTRIES = 8192;

interface Request {
  readonly bodies: readonly EntryBody[];
  readonly resolve: (entries: Entry[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Entries and their lines (with newlines), at one position of the log. */
export interface Batch {
  readonly entries: Entry[];
  readonly lines: Buffer[];
}

/** Gathers appends that arrive while the disk is busy into one write, in the order they came. */
export class GroupCommit {
  readonly #queue: Request[] = [];
  readonly #nextIndex: () => number;
  readonly #clock: () => number;
  readonly #commit: (batch: Batch) => Promise<void>;
  #pump: Promise<void> | undefined;

  /** @param commit makes a batch durable: all of it, or none */
  constructor(nextIndex: () => number, clock: () => number, commit: (batch: Batch) => Promise<void>) {
    this.#nextIndex = nextIndex;
    this.#clock = clock;
    this.#commit = commit;
  }

  /** Resolves once the bodies are recorded. */
  add(bodies: readonly EntryBody[]): Promise<Entry[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ bodies, resolve, reject });
      this.#pump ??= this.#run();
    });
  }

  /** Resolves once nothing waits any more. */
  async drained(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  async #run(): Promise<void> {
    // One turn of the event loop, so that appends made together travel together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#commitSome();
    this.#pump = undefined;
  }

  async #commitSome(): Promise<void> {
    const time = new Date(this.#clock()).toISOString();
    const entries: Entry[] = [];
    const lines: Buffer[] = [];
    const settled: { request: Request; from: number; to: number }[] = [];
    while (this.#queue.length > 0 && entries.length < BATCH_ENTRIES) {
      const request = this.#queue.shift();
      if (request === undefined) break;
      try {
        const batch = makeLines(request.bodies, this.#nextIndex() + entries.length, time);
        const from = entries.length;
        for (const entry of batch.entries) entries.push(entry);
        for (const line of batch.lines) lines.push(line);
        settled.push({ request, from, to: entries.length });
      } catch (error) {
        request.reject(error);
      }
    }
    if (settled.length === 0) return;
    try {
      await this.#commit({ entries, lines });
    } catch (error) {
      for (const { request } of settled) request.reject(error);
      return;
    }
    for (const { request, from, to } of settled) request.resolve(entries.slice(from, to));
  }
}

/**
 * Makes the lines of bodies whose first one gets index `first`.
 * @throws {LedgerError} `LEDGER_ENTRY_TOO_LARGE`, `LEDGER_UNREPRESENTABLE`
 */
export function makeLines(bodies: readonly EntryBody[], first: number, time: string): Batch {
  const entries = bodies.map((body, at): Entry => ({ v: 1, i: first + at, time, ...body }));
  const lines = entries.map((entry) => {
    const line = Buffer.from(`${canonicalize(entry)}\n`);
    if (line.length - 1 <= MAX_LINE_BYTES) return line;
    throw new LedgerError(
      'LEDGER_ENTRY_TOO_LARGE',
      `a ${entry.kind} entry takes ${line.length - 1} bytes; a line holds ${MAX_LINE_BYTES}`,
      { hint: 'put the large part in a blob and name it by its hash' },
    );
  });
  return { entries, lines };
}
