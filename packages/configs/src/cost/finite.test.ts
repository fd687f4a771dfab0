import { expect, it } from 'vitest';
import { countable, finite } from './finite.ts';
import { known, unknown } from './job-cost.ts';

it.each([
  Number.POSITIVE_INFINITY,
  Number.NaN,
  { hours: { low: 0, high: Number.NaN } },
  [1, Number.NEGATIVE_INFINITY],
])('%j is no figure', (value) => {
  expect(finite(known(value)).known).toBe(false);
});

it('what is finite, or not there, stays as it is', () => {
  for (const value of [0, { ratio: undefined, keep: null, name: 'x' }, [1, 2]])
    expect(finite(known(value))).toEqual(known(value));
  expect(finite(unknown('why'))).toEqual(unknown('why'));
});

it('steps are counted from one to the largest whole number', () => {
  expect(countable(known({ low: 0, high: 1 })).known).toBe(true);
  expect(countable(known({ low: 0, high: 0 })).known).toBe(false);
  expect(countable(known({ low: 1, high: 1e300 })).known).toBe(false);
  expect(countable(known({ low: 1, high: Number.NaN })).known).toBe(false);
});
