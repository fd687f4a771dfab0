import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countMegatronSteps, countPacks, countSteps } from './steps.ts';

it('1000 rows, batches of 16, two epochs: 126 steps, as the trainer made', () => {
  const job = { rows: 1000, epochs: 2, perDeviceBatch: 16, accumulation: 1, dataParallel: 1 };
  expect(countSteps(job)).toMatchObject({ rowsPerRank: 1000, batches: 63, stepsPerEpoch: 63, total: 126 });
});

it('the HER paper rounds down; the trainer agrees on 32 ranks, not on 8 ranks of 4 passes', () => {
  const job = { rows: 342_493, epochs: 4, perDeviceBatch: 1, accumulation: 1, dataParallel: 32 };
  expect(countSteps(job)).toMatchObject({ stepsPerEpoch: 10_702, total: 42_808 });
  const accumulated = countSteps({ ...job, dataParallel: 8, accumulation: 4 });
  expect(accumulated).toMatchObject({ stepsPerEpoch: 10_703, total: 42_812 });
});

it('leaves out rows that the ranks cannot share, unless they share rows', () => {
  const job = { rows: 17, epochs: 1, perDeviceBatch: 1, accumulation: 1, dataParallel: 4 };
  expect(countSteps(job).rowsPerRank).toBe(4);
  expect(countSteps({ ...job, sequenceParallel: 2 }).rowsPerRank).toBe(5);
});

it('drops a short batch when told to', () => {
  const job = { rows: 1000, epochs: 1, perDeviceBatch: 16, accumulation: 1, dataParallel: 1, dropLast: true };
  expect(countSteps(job).total).toBe(62);
});

it('an accumulation that is not set aims at 16 rows a step', () => {
  const job = { rows: 100, epochs: 1, perDeviceBatch: 2, dataParallel: 3 };
  expect(countSteps(job).accumulation).toBe(3);
  expect(countSteps({ ...job, dataParallel: 64 }).accumulation).toBe(1);
});

it('part of an epoch is rounded up to a step, and there is at least one', () => {
  expect(
    countSteps({ rows: 10, epochs: 0.5, perDeviceBatch: 2, accumulation: 1, dataParallel: 1 }).total,
  ).toBe(3);
  expect(countSteps({ rows: 1, epochs: 1, perDeviceBatch: 1, accumulation: 1, dataParallel: 8 }).total).toBe(
    1,
  );
});

it('Megatron makes whole global batches over all epochs', () => {
  expect(countMegatronSteps({ rows: 103, epochs: 3, microBatch: 1, dataParallel: 2, globalBatch: 16 })).toBe(
    19,
  );
});

it('packs hold the tokens, and never less than a row', () => {
  expect(countPacks(1000, 2000, 8192)).toEqual({ low: 245, high: 272 });
  const sizes = fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 8192 }));
  fc.assert(
    fc.property(sizes, ([rows, meanTokens]) => {
      const { low, high } = countPacks(rows, meanTokens, 8192);
      expect(low).toBeGreaterThanOrEqual(1);
      expect(high).toBeGreaterThanOrEqual(low);
      expect(high).toBeLessThanOrEqual(rows);
    }),
  );
});
