/** Milliseconds before try `n + 1`: exponential, bounded, and spread so that many do not come back at once. */
export function backoff(tries: number, { first = 500, most = 30_000, random = Math.random } = {}): number {
  return Math.min(most, first * 2 ** (tries - 1)) * (0.5 + random() / 2);
}
