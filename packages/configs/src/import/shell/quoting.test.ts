// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are shell.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importConfig } from '../import-config.ts';
import { importScript } from '../import-script.ts';
import { ImportError } from '../problem.ts';
import { readShell } from './read-shell.ts';
import { known } from './value.ts';

const wordsOf = (source: string) =>
  readShell(source, { file: 'run.sh' })
    .commands.at(-1)
    ?.words.map(({ value }) => known(value));

/** The three ways to quote any text. */
const quotings: ((text: string) => string)[] = [
  (text) => `'${text.replaceAll("'", "'\\''")}'`,
  (text) => `"${text.replaceAll(/[$`"\\]/g, '\\$&')}"`,
  (text) => `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`,
];
const anyText = fc.string({
  unit: fc.constantFrom(...'ab \n\t\'"\\$`*?[]{}()|&;<>#!~=,.-@%é'),
  maxLength: 12,
});
const quotedWord = fc.record({ text: anyText, way: fc.constantFrom(...quotings) });

describe('quoting', () => {
  it('any words, quoted in any way, come back the same', () => {
    fc.assert(
      fc.property(fc.array(quotedWord, { maxLength: 6 }), (list) => {
        const source = `x ${list.map(({ text, way }) => way(text)).join(' ')}`;
        expect(wordsOf(source)).toEqual(['x', ...list.map(({ text }) => text)]);
      }),
      { numRuns: 300 },
    );
  });

  it('also through a variable, an array and a function', () => {
    fc.assert(
      fc.property(fc.array(quotedWord, { minLength: 1, maxLength: 4 }), (list) => {
        const all = list.map(({ text, way }) => way(text)).join(' ');
        const expected = ['x', ...list.map(({ text }) => text)];
        expect(wordsOf(`A=(${all})\nx "\${A[@]}"`)).toEqual(expected);
        expect(wordsOf(`f() { x "$@"; }\nf ${all}`)).toEqual(expected);
        expect(wordsOf(`v=${list[0]?.way(list[0].text)}; x "$v"`)).toEqual(expected.slice(0, 2));
      }),
      { numRuns: 200 },
    );
  });

  it('also through the text of another shell', () => {
    fc.assert(
      fc.property(fc.array(quotedWord, { maxLength: 3 }), (list) => {
        const inner = `x ${list.map(({ text, way }) => way(text)).join(' ')}`;
        const source = `bash -c ${quotings[0]?.(inner)}`;
        expect(wordsOf(source)).toEqual(['x', ...list.map(({ text }) => text)]);
      }),
      { numRuns: 200 },
    );
  });
});

const fragments = [
  ...[
    '$(',
    '`',
    '${',
    '"',
    "'",
    '((',
    '))',
    '[[ ',
    ' ]]',
    '{',
    '}',
    '(',
    ')',
    '<<EOF\n',
    'EOF\n',
    '\\\n',
    '\n',
    ';',
  ],
  ...[
    'if ',
    'then ',
    'else ',
    'fi;',
    'for x in a b; do ',
    'done;',
    'while true; do ',
    'case $x in ',
    'esac;',
    'a) ',
    ';;',
  ],
  ...[
    '$x ',
    '"${x[@]}" ',
    'x+=$x$x;',
    'x=(a $x);',
    'f() { f; };',
    'f;',
    'eval "$x";',
    'bash -c "$x";',
    '$((x++))',
    '${x//a/b}',
  ],
  ...[
    'swift sft --a 1 ',
    'python -m verl.trainer.main_ppo a.b=1 ',
    'read y;',
    'set -- $x;',
    'shift;',
    'export x;',
    '{a,b}',
    '{1..9}',
  ],
  ...[
    '|',
    '&&',
    '||',
    '&',
    '<(',
    '>',
    '=',
    '*',
    '?',
    '~',
    '#',
    '\0',
    '\uE0000\uE001',
    '\uD800',
    'x=1;',
    '[ -n $x ];',
  ],
];
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...fragments), { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

describe('hostile text', () => {
  it('is read, or refused with a typed problem, and never takes long', () => {
    const readings = [
      (source: string) => importScript(source, { file: 'run.sh', set: { x: 'q' } }),
      (source: string) => importConfig(source, { file: 'a.yaml' }),
      (source: string) => importConfig(source, { file: 'a.json' }),
      (source: string) => importConfig(source, { file: 'a.overrides' }),
    ];
    fc.assert(
      fc.property(hostile, (source) => {
        for (const read of readings) {
          try {
            read(source);
          } catch (error) {
            if (!(error instanceof ImportError)) throw error;
            expect(error.hint).not.toBe('');
            expect(error.place.line).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: 1500, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
    );
  }, 30_000);

  it.each([
    ['patterns', `x=${'a'.repeat(100_000)}\nfor i in {1..2000}; do [[ $x == ${'*a'.repeat(200)}b ]]; done`],
    ['subshells', 'for i in {1..2000}; do for j in {1..90}; do (x=1); done; done'],
    [
      'regular expressions',
      `x=${'a'.repeat(400)}\nfor i in {1..500}; do [[ $x =~ a*a*b ]]; [[ $x =~ (a|a)*b ]]; done`,
    ],
    ['output', 'for i in {1..2000}; do x=$(seq 9999); done'],
    ['nested texts', 'x=:; for i in {1..15}; do x="$x;$x"; done; for i in {1..999}; do eval "$x"; done'],
    ['module names', `python -m ${'verl.'.repeat(100_000)}!`],
  ])(
    '%s without end are given up in bounded time',
    (_, source) => {
      const before = performance.now();
      expect(() => importScript(source, { file: 'run.sh' })).toThrow(ImportError);
      expect(performance.now() - before).toBeLessThan(8_000);
    },
    20_000,
  );
});
