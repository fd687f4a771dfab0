import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestNames, suggestName } from './nearest.ts';

describe('the nearest names', () => {
  it.each([
    ['lr', ['rl', 'sft'], ['rl']],
    ['stf', ['rl', 'sft'], ['sft']],
    ['o', ['of', 'metric'], ['of']],
    ['SFT', ['rl', 'sft'], ['sft']],
    ['max_lenght', ['max_length', 'max_steps'], ['max_length']],
    ['adam_beta3', ['adam_beta1', 'adam_beta2', 'adam_epsilon'], ['adam_beta1', 'adam_beta2']],
    ['learnin_rat', ['learning_rate', 'learning_rates'], ['learning_rate']],
    ['xy', ['of', 'rl'], []],
    ['x', ['y'], []],
    ['learning_rate', ['weight_decay'], []],
    ['', ['of'], []],
  ])('to `%s` among %j are %j', (wrong, valid, near) => expect(nearestNames(wrong, valid)).toEqual(near));

  it('are the name itself where it is valid', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (names) => {
        expect(nearestNames(names[0] ?? '', new Set(names)).map((name) => name.toLowerCase())).toContain(
          names[0]?.toLowerCase(),
        );
      }),
    );
  });
});

describe('a suggestion', () => {
  it('names what is near, else all that is allowed, if that is short', () => {
    expect(suggestName('adam_beta3', ['adam_beta1', 'adam_beta2'])).toBe(
      'Did you mean `adam_beta1` or `adam_beta2`?',
    );
    expect(suggestName('gold', ['up', 'down'])).toBe('Allowed: up, down.');
    expect(suggestName('gold', [])).toBe('Nothing is defined there.');
    expect(
      suggestName(
        'gold',
        Array.from({ length: 25 }, (_, i) => `name_${i}`),
      ),
    ).toBe('');
  });
});
