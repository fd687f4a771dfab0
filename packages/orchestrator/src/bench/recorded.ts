import { readEntries } from '@her/ledger';

/** Milliseconds. */
export type Lags = { count: number; p50: number; p95: number; p99: number; most: number };

export type Recorded = {
  /** Steps by attempt. */
  steps: Map<string, number>;
  /** Metrics in the ledger. */
  count: number;
  /** Entries that repeat a step, and steps that are not there, up to the last of each attempt. */
  doubled: number;
  missing: number;
  /** Of the metrics whose event was made within the window: from the agent's event to the ledger on disk. */
  fromEvent: Lags;
  /** From the line of the trainer to the ledger on disk: what the agent takes is in it. */
  fromLine: Lags;
};

/**
 * Reads a ledger that was written during a measurement.
 * @param commits the size of the ledger after each append, and when that was on disk
 * @param window Unix milliseconds
 */
export async function readRecorded(
  ledger: string,
  commits: readonly (readonly [size: number, time: number])[],
  [begin, end]: readonly [number, number],
): Promise<Recorded> {
  const sorted = commits.toSorted((a, b) => a[0] - b[0]);
  const steps = new Map<string, number>();
  const [events, lines]: [number[], number[]] = [[], []];
  let [count, doubled, missing, at] = [0, 0, 0, 0];
  for await (const entry of readEntries(ledger)) {
    while (at < sorted.length - 1 && (sorted[at]?.[0] ?? 0) <= entry.i) at += 1;
    if (entry.kind !== 'metric') continue;
    count += 1;
    const last = steps.get(entry.attempt) ?? 0;
    if (entry.step <= last) doubled += 1;
    else missing += entry.step - last - 1;
    steps.set(entry.attempt, Math.max(last, entry.step));
    const made = Date.parse(entry.at ?? entry.time);
    if (made < begin || made > end) continue;
    const durable = sorted[at]?.[1] ?? Number.POSITIVE_INFINITY;
    events.push(durable - made);
    lines.push(durable - Number(entry.values['logged_at']) * 1000);
  }
  return {
    steps,
    doubled,
    missing,
    count,
    fromEvent: lagsOf(events),
    fromLine: lagsOf(lines),
  };
}

export function lagsOf(milliseconds: readonly number[]): Lags {
  const sorted = Float64Array.from(milliseconds).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: sorted.at(-1) ?? 0 };
}
