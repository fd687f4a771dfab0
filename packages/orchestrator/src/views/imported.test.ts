import { expect, test } from 'vitest';
import { importWords, importWordsHelp } from './import-words.ts';
import { type ImportRow, importedView } from './imported.ts';
import { wrappedTable } from './wrapped-table.ts';

const row = (more: Partial<ImportRow>): ImportRow => ({
  file: 'run.sh',
  line: 1,
  option: '--a',
  code: 'gone',
  message: 'no such option.',
  ...more,
});
const view = (rows: ImportRow[]): string[] =>
  importedView({ scripts: 1, stages: ['sft'], rows, open: [], settings: { all: 3, carried: 2 } }, 120).flat();

test('rows that say the same are one, with every line and option', () => {
  const lines = view([
    row({}),
    row({ line: 3, option: '--b' }),
    row({ line: 3, option: '--c', message: 'other.' }),
  ]);
  expect(lines.filter((line) => line.startsWith('run.sh'))).toEqual([
    'run.sh:1, 3  gone  --a, --b  no such option.',
    'run.sh:3     gone  --c       other.',
  ]);
  expect(lines.at(-1)).toBe('2 of 3 settings of the script are in the study.');
});

test('values that lack the same variable are one row; what became of them keeps them apart', () => {
  const unknown = (option: string, message: string) =>
    row({ option, code: 'unknown-value', message, hint: 'Give `--set HOME=…`.' });
  const lines = view([
    unknown('--a', '`$HOME/a` was left out.'),
    unknown('--b', '`$HOME/b` was left out.'),
    unknown('--c', '`$HOME/c` stands there.'),
  ]).filter((line) => line.startsWith('run.sh'));
  expect(lines).toEqual([
    'run.sh:1  unknown-value  --a, --b  2 values, for one `$HOME/a` was left out. Give `--set HOME=…`.',
    'run.sh:1  unknown-value  --c       `$HOME/c` stands there. Give `--set HOME=…`.',
  ]);
});

test('a table goes on on the next line and stays within its width, whatever its cells hold', () => {
  const long = 'a.very_long.name_of_an.option_that_goes.on_and_on.and_on';
  const lines = wrappedTable(['where', 'option', 'why'], [['run.sh:1', long, 'word '.repeat(40).trim()]], 80);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(84);
  const option = lines
    .slice(2)
    .map((line) => line.slice(10, 50).trim())
    .join('');
  expect(option).toBe(long);
  expect(
    wrappedTable(['a'], [['x'.repeat(100)]], 40)
      .slice(2)
      .join(''),
  ).toBe('x'.repeat(100));
});

test('the help defines every word', () => {
  for (const word of Object.keys(importWords)) expect(importWordsHelp()).toContain(`  ${word} `);
});
