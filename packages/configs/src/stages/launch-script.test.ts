import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { launchScript } from './launch-script.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'her launch-')));
afterAll(() => rmSync(home, { recursive: true }));

/** What the command of a launch script is really given by bash: its words and one variable. */
function arrived(
  words: string[],
  value: string,
  more: string[],
  lines?: string[],
): { argv: string[]; value: string; cwd: string } {
  const show = 'printf "%s\\0" "$HER_WORD" "$PWD" "$@"';
  const argsFile = 'the args.txt';
  const launch = { argv: ['bash', '-c', show, 'show', ...words], env: { HER_WORD: value } };
  const path = join(home, 'launch.sh');
  writeFileSync(path, launchScript(lines === undefined ? launch : { ...launch, argsFile }));
  if (lines !== undefined) writeFileSync(join(home, argsFile), lines.map((line) => `${line}\n`).join(''));
  // Run from elsewhere: the script finds its own folder.
  const shown = execFileSync('bash', [path, ...more], { cwd: '/', encoding: 'utf8' }).split('\0');
  return { value: shown[0] ?? '', cwd: shown[1] ?? '', argv: shown.slice(2, -1) };
}

/** Any text that a command line can carry; with the characters that shells care about. */
const word = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'\'"`$\\!*?[]{}()<>|&;~#=% \t\na-') }),
);
const carried = word.map((text) => text.replaceAll('\0', '').toWellFormed());

describe('a launch script, run by bash', () => {
  it('gives its command exactly the words and variables of the job', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(carried), carried, fc.array(carried), (words, value, more) => {
        expect(arrived(words, value, more)).toEqual({ argv: [...words, ...more], value, cwd: home });
      }),
      { numRuns: 60 },
    );
  });

  it('adds each line of a file of arguments as one word', { timeout: 60_000 }, () => {
    const line = carried.map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(carried), fc.array(line), fc.array(carried), (words, lines, more) => {
        expect(arrived(words, '', more, lines).argv).toEqual([...words, ...lines, ...more]);
      }),
      { numRuns: 60 },
    );
  });

  it('stops where a command of its own fails', () => {
    const script = launchScript({ argv: ['echo', 'ran'], env: {}, argsFile: 'missing' });
    writeFileSync(join(home, 'broken.sh'), script);
    expect(() => execFileSync('bash', [join(home, 'broken.sh')], { stdio: 'pipe' })).toThrow();
  });
});
