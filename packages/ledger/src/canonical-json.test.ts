import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize } from './canonical-json.ts';
import { LedgerError } from './errors.ts';

describe('canonicalize', () => {
  it('gives the RFC 8785 result for its sample', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalize(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as the RFC 8785 sample has them', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(Object.keys(JSON.parse(canonicalize(value))).sort()).toEqual(Object.keys(value).sort());
    expect(canonicalize(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', undefined],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['7fffffffffffffff', undefined],
    ['7ff0000000000000', undefined],
  ])('writes the number %s as the RFC 8785 appendix does, or refuses it', (hex, text) => {
    const value = Buffer.from(hex, 'hex').readDoubleBE();
    if (text === undefined) expect(() => canonicalize(value)).toThrow(LedgerError);
    else expect(canonicalize(value)).toBe(text);
  });

  it.each([
    ['NaN', { a: [Number.NaN] }],
    ['an infinity', Number.NEGATIVE_INFINITY],
    ['an integer past 2^53-1', 2 ** 53],
    ['a negative integer past 2^53-1', -(2 ** 60)],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['undefined', undefined],
    ['undefined in an object', { a: undefined }],
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    ['a hole', [1, , 2]],
    ['a BigInt', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a symbol key', { [Symbol('s')]: 1 }],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a Buffer', Buffer.from('a')],
    ['a class instance', new (class A {})()],
  ])('refuses %s, with a typed error', (_name, value) => {
    expect(() => canonicalize(value)).toThrow(expect.objectContaining({ code: 'LEDGER_UNREPRESENTABLE' }));
  });

  it('refuses a cycle', () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(() => canonicalize(value)).toThrow(LedgerError);
  });

  it('names the place of what it refuses', () => {
    expect(() => canonicalize({ a: [1, { b: Number.NaN }] })).toThrow('"a".1."b" is NaN');
  });

  it('accepts -0, null prototypes and __proto__ as a key', () => {
    expect(
      canonicalize([-0, Object.assign(Object.create(null), { b: 1 }), JSON.parse('{"__proto__":2}')]),
    ).toBe('[0,{"b":1},{"__proto__":2}]');
  });

  it('reads back as the same value, and is its own canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = attempt(value);
        fc.pre(text !== undefined);
        const back: unknown = JSON.parse(text ?? '');
        expect(back).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalize(back)).toBe(text);
      }),
    );
  });

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(attempt(reversed)).toBe(attempt(value));
      }),
    );
  });
});

function attempt(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}
