import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yaml11 } from './yaml11.ts';

describe('the file of ms-swift', () => {
  it('leaves nothing to be guessed', () => {
    const values = {
      a: 'no',
      b: 1e-8,
      c: -2.5e-9,
      d: ['=', '<<'],
      e: { on: null, x: true },
      f: 1e21,
      g: 0.1,
    };
    expect(yaml11(values)).toBe(
      'a: "no"\nb: 1.0e-8\nc: -2.5e-9\nd: ["=", "<<"]\ne: {"on": null, "x": true}\nf: 1.0e+21\ng: 0.1\n',
    );
    expect(yaml11({ a: '\u0085\u2028\ufeff\u007f' })).toBe('a: "\\u0085\\u2028\\ufeff\\u007f"\n');
  });

  it('reads back as it was written, by YAML 1.1 and 1.2', () => {
    const text = fc.string({ unit: 'grapheme' });
    const value = fc.oneof(
      fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()), { noNullPrototype: true }),
      fc.array(
        fc.oneof(
          text,
          fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
          fc.constant(null),
        ),
      ),
    );
    fc.assert(
      fc.property(value, (given) => {
        for (const version of ['1.1', '1.2'] as const)
          expect(parse(yaml11({ option: given }), { version, merge: false })).toEqual({ option: given });
      }),
    );
  });
});
