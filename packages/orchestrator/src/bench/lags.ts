/** Milliseconds between the trainer's metric and its entry in the ledger. */
export type Lags = { count: number; p50: number; p99: number; most: number };

export function lagsOf(milliseconds: readonly number[]): Lags {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? 0 };
}
