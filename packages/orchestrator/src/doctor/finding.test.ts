import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fail, type Status, unknown, warn, worst } from './finding.ts';

const status = fc.constantFrom<Status>('ok', 'warn', 'unknown', 'fail');

test('the gravest of several is one of them, in any order, and nothing is worse', () => {
  expect([worst([]), worst(['ok', 'warn']), worst(['unknown', 'warn']), worst(['unknown', 'fail'])]).toEqual([
    'ok',
    'warn',
    'unknown',
    'fail',
  ]);
  fc.assert(
    fc.property(fc.array(status, { minLength: 1 }), status, (some, more) => {
      expect(some).toContain(worst(some));
      expect(worst(some)).toBe(worst(some.toReversed()));
      expect(worst([...some, more])).toBe(worst([worst(some), more]));
    }),
  );
});

test('what was not given is left out, so that it is not in the JSON either', () => {
  expect(Object.keys(warn('a', 'b'))).toEqual(['status', 'what', 'remedy']);
  expect(fail('a', 'b', 'c')).toEqual({ status: 'fail', what: 'a', remedy: 'b', why: 'c' });
  expect(Object.keys(unknown('a'))).toEqual(['status', 'what']);
});
