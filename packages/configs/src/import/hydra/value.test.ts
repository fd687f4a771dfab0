// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Hydra writes its interpolations so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overrideText } from '../../stages/rl/overrides.ts';
import { parseOverrideKey } from './override.ts';
import { parseHydraValue } from './value.ts';

describe("Hydra's values", () => {
  it.each([
    ['1', 1],
    ['-5', -5],
    ['1_000', 1000],
    ['007', '007'],
    ['1e-6', 1e-6],
    ['.5', 0.5],
    ['10k', '10k'],
    ['inf', 'inf'],
    ['9007199254740993', '9007199254740993'],
    ['null', null],
    ['tRuE', true],
    ['a b c ', 'a b c'],
    ['/x/y-z.parquet', '/x/y-z.parquet'],
    ['x\\,y', 'x,y'],
    ['${a.b}/c', '${a.b}/c'],
    ["'it\\'s'", "it's"],
    ['"a\\\\"', 'a\\'],
    ["'\\n'", '\\n'],
    ["[1, 'a', [null]]", [1, 'a', [null]]],
    ['{a: 1, b: {c: [x]}}', { a: 1, b: { c: ['x'] } }],
    ['[]', []],
    ['{}', {}],
  ])('%s', (source, value) => {
    expect(parseHydraValue(source)).toEqual({ value, literal: true });
  });

  it.each(['a=b', '[1', '{a}', "'a", '(x)', '[1,]', 'a;b', '${x', '~x', "b'a'", '['.repeat(5000)])(
    '%s is refused',
    (source) => {
      expect(parseHydraValue(source)).toHaveProperty('error');
    },
  );

  it.each(['a,b', 'choice(a,b)', 'range(1,3)'])('%s is a sweep or a function, kept as text', (source) => {
    expect(parseHydraValue(source)).toEqual({ value: source, literal: false });
  });

  it('what the renderer of a stage writes comes back the same', () => {
    const scalar = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (Object.is(x, -0) ? 0 : x)),
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'\\\'" a1,[]{}:=$.\n') }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('value')),
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,6}$/), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, fc.boolean(), (given, add) => {
        const text = overrideText({
          key: 'a.b_c',
          value: given as never,
          ...(add ? { add: true as const } : {}),
        });
        const key = parseOverrideKey(text);
        expect(key).toMatchObject({ name: 'a.b_c', action: add ? 'add' : 'set' });
        // Numbers beyond what JSON counts exactly stay text.
        expect(JSON.stringify(numbersAsText(parseHydraValue(text.slice(key?.valueAt))))).toBe(
          JSON.stringify(numbersAsText({ value: given, literal: true })),
        );
      }),
      { numRuns: 500 },
    );
  });
});

function numbersAsText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(numbersAsText);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, numbersAsText(each)]));
}

describe("Hydra's keys", () => {
  it.each([
    ['a.b=1', { name: 'a.b', action: 'set', valueAt: 4 }],
    ['+a=', { name: 'a', action: 'add', valueAt: 3 }],
    ['++a.b=x', { name: 'a.b', action: 'add-or-set', valueAt: 6 }],
    ['~a', { name: 'a', action: 'delete' }],
    ['~a=1', { name: 'a', action: 'delete', valueAt: 3 }],
    ['db/x@_global_=y', { name: 'db/x', package: '_global_', action: 'set', valueAt: 14 }],
  ])('%s', (source, key) => {
    expect(parseOverrideKey(source)).toEqual(key);
  });

  it.each(['a', 'a b=1', '=1', '-a', ''])('%j is no override', (source) => {
    expect(parseOverrideKey(source)).toBeUndefined();
  });
});
