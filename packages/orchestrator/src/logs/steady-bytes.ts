import { HerError } from '../errors.ts';
import { pause } from '../reconcile/pause.ts';

export type Reading = {
  /** Bytes from an offset, until there are no more; throws `AGENT_UNREACHABLE` where the way there breaks. */
  open(from: number): AsyncIterable<Uint8Array>;
  /** Asks the far side for something small: returns when it is there again, else throws `AGENT_UNREACHABLE`. */
  reach(): Promise<unknown>;
  from: number;
  /** Whether to wait for a node that cannot be reached, and for an attempt that has not begun. */
  patient: boolean;
  signal: AbortSignal;
  /** Told once for each time, not for each try. */
  lost(since: Date, why: string): void;
  back(): void;
  unbegun(): void;
  /** Milliseconds before the second look and at most between two. */
  pace?: { first: number; most: number };
};

/** All bytes of a log from an offset on, each once, however often the way there breaks. */
export async function* steadyBytes(reading: Reading): AsyncGenerator<Uint8Array> {
  const { signal, patient, pace = { first: 500, most: 10_000 } } = reading;
  let { from } = reading;
  let since: Date | null = null;
  let waited = false;
  let wait = pace.first;
  while (!signal.aborted) {
    try {
      if (since !== null) {
        await reading.reach();
        reading.back();
        since = null;
        wait = pace.first;
      }
      for await (const chunk of reading.open(from)) {
        // A chunk that was handed over counts, whatever comes after it.
        from += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!patient || !(error instanceof HerError)) throw error;
      if (error.code === 'AGENT_UNREACHABLE') {
        if (since === null) {
          since = new Date();
          reading.lost(since, error.message);
        }
      } else if (error.agentCode === 'no-such-attempt') {
        if (!waited) reading.unbegun();
        waited = true;
      } else throw error;
      await pause(wait * (0.75 + Math.random() / 2), signal);
      wait = Math.min(wait * 2, pace.most);
    }
  }
}
