/** Places in a list of files, the first and the last. */
export type Range = readonly [number, number];

export function* numbersOf(ranges: readonly Range[]): Generator<number> {
  for (const [first, last] of ranges) for (let number = first; number <= last; number += 1) yield number;
}

/** As an argument of the agent. */
export function rangesText(ranges: readonly Range[]): string {
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
