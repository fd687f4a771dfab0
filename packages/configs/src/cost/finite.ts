import { type Count, type Known, unknown } from './job-cost.ts';

/** A figure of which every number is finite; else unknown: infinity and NaN are no prediction. */
export function finite<T>(figure: Known<T>): Known<T> {
  if (!figure.known || allFinite(figure.value)) return figure;
  return unknown('the numbers of the study are too large to predict anything from');
}

/** Steps that a counter can count, at least one. */
export function countable(steps: Known<Count>): Known<Count> {
  if (!steps.known) return steps;
  const { low, high } = steps.value;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high))
    return unknown('more steps than can be counted: see `epochs`');
  return high > 0 ? steps : unknown('fewer rows than a batch: no step is made');
}

function allFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(allFinite);
}
