import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readClock } from './node-report.ts';

const duration = fc.double({ min: 0, max: 120_000, noNaN: true });
const offset = fc.double({ min: -1e9, max: 1e9, noNaN: true });

test('the true difference of two clocks lies within what is read, however long the ways take', () => {
  fc.assert(
    fc.property(offset, duration, duration, duration, (truth, there, work, back) => {
      const sent = 1_000_000;
      const received = sent + there + truth;
      const answered = received + work;
      const reading = readClock({ sent, received, answered, back: sent + there + work + back });
      expect(Math.abs(reading.offset - truth)).toBeLessThanOrEqual(reading.bound + 1e-3);
      expect(reading.bound).toBeCloseTo((there + back) / 2, 3);
    }),
  );
});

test('ways that take equally long tell it exactly', () => {
  fc.assert(
    fc.property(offset, duration, duration, (truth, way, work) => {
      const received = way + truth;
      const reading = readClock({ sent: 0, received, answered: received + work, back: way + work + way });
      expect(reading.offset).toBeCloseTo(truth, 3);
    }),
  );
});

test('two nodes asked by each other read the same difference with the other sign', () => {
  const ahead = readClock({ sent: 0, received: 510, answered: 520, back: 30 });
  const behind = readClock({ sent: 500, received: 10, answered: 20, back: 530 });
  expect(ahead).toEqual({ offset: 500, bound: 10 });
  expect(behind).toEqual({ offset: -500, bound: 10 });
});

test('a clock that was set back between question and answer yields no bound below nothing', () => {
  expect(readClock({ sent: 0, received: 10, answered: 100, back: 20 }).bound).toBe(0);
});
