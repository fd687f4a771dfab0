import { describe, expect, it } from 'vitest';
import { hydraValue, overrideText } from './overrides.ts';

describe("a value in Hydra's grammar", () => {
  it.each([
    [null, 'null'],
    [true, 'True'],
    [false, 'False'],
    [3e-4, '0.0003'],
    [1e-7, '1e-7'],
    [-1, '-1'],
    ['grpo', 'grpo'],
    ['inputs/model', 'inputs/model'],
    ['a.b-c@d', 'a.b-c@d'],
    ['pkg://her_workers.rewards', "'pkg://her_workers.rewards'"],
    ['', "''"],
    ['true', "'true'"],
    ['NULL', "'NULL'"],
    ['Inf', "'Inf'"],
    ['1e-5', "'1e-5'"],
    ['.5', "'.5'"],
    ['a b', "'a b'"],
    ["it's", "'it\\'s'"],
    ['C:\\new', "'C:\\new'"],
    ["a\\'b", "'a\\\\\\'b'"],
    ['ends in \\', "'ends in \\\\'"],
    [['console', 'file'], '[console,file]'],
    [[], '[]'],
    [{ param_dtype: 'fp32', on: true, n: [1, null] }, '{param_dtype: fp32, on: True, n: [1,null]}'],
    [{}, '{}'],
  ])('%j is %s', (value, text) => expect(hydraValue(value)).toBe(text));
});

describe('an override', () => {
  it('has a plus where it adds a key', () => {
    expect(overrideText({ key: 'trainer.device', value: 'cpu' })).toBe('trainer.device=cpu');
    expect(overrideText({ key: 'a.b', add: true, value: 1 })).toBe('+a.b=1');
  });
});
