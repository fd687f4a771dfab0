import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSeed } from './derive.ts';
import { seedOf, seedTable } from './table.ts';

describe('a derived seed', () => {
  // Made by: printf 'her/seed/v1\n11\nsft\ndata_seed' | sha256sum; the first 8 digits, halved.
  it.each([
    [11, 'sft', 'data_seed', 1777986439],
    [11, 'sft', 'seed', 196800712],
    [23, 'rl', 'actor_rollout_ref.rollout.seed', 1708060988],
    [0, 'evaluate', 'sampling', 146587312],
    [2147483647, 'a', 'ü', 899360808],
  ])('of %i, %s, %s is %i', (root, stage, source, seed) => {
    expect(deriveSeed(root, stage, source)).toBe(seed);
  });

  it('is the first 31 bits of the hash of what is published', () => {
    const word = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(fc.nat(), word, word, (root, stage, source) => {
        const hex = createHash('sha256')
          .update(['her/seed/v1', root, stage, source].join('\n'))
          .digest('hex');
        const seed = deriveSeed(root, stage, source);
        expect(seed).toBe(Math.floor(Number.parseInt(hex.slice(0, 8), 16) / 2));
        expect(seed).toBeLessThan(2 ** 31);
      }),
    );
  });
});

describe('a table of seeds', () => {
  const table = seedTable(11, 'sft', [
    { source: 'data_seed', drives: 'rows', effect: 'effective' },
    { source: 'time', drives: 'names', effect: 'unseeded' },
  ]);

  it('lists what cannot be seeded, without a value', () => {
    expect(table.map(({ source, value }) => [source, value])).toEqual([
      ['data_seed', 1777986439],
      ['time', null],
    ]);
  });

  it('gives no seed that it does not hold', () => {
    expect(seedOf(table, 'data_seed')).toBe(1777986439);
    expect(() => seedOf(table, 'time')).toThrow('no seed was planned for time');
    expect(() => seedOf(table, 'seed')).toThrow('no seed was planned for seed');
  });
});
