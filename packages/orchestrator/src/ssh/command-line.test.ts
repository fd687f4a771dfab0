import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandLine, quoteWord } from './command-line.ts';

const word = fc
  .string({ unit: 'binary' })
  .filter((text) => !text.includes('\0') && !/^~(\/|$)/.test(text) && text.isWellFormed());

describe('a command line', () => {
  it('is read back by a shell as the words that it was made of', async () => {
    const batch = fc.array(word, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(batch, async (words) => {
        const line = commandLine(['printf', '%s\\0', ...words]);
        const { stdout } = await execa('sh', ['-c', line], { stripFinalNewline: false });
        expect(stdout.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 25 },
    );
  });

  it('has the home folder of the far side for a ~ in front, and only there', async () => {
    const line = commandLine(['printf', '%s\\n', '~', '~/', "~/it's here", 'a/~', '~root']);
    const { stdout } = await execa('sh', ['-c', line], { env: { HOME: '/home/of her' } });
    expect(stdout.split('\n')).toEqual([
      '/home/of her',
      '/home/of her/',
      "/home/of her/it's here",
      'a/~',
      '~root',
    ]);
  });

  it('leaves plain words as they are', () => {
    expect(quoteWord('--root=/a/b.c')).toBe('--root=/a/b.c');
    expect(quoteWord('')).toBe("''");
  });

  it('cannot hold a NUL, nor nothing', () => {
    expect(() => commandLine(['a\0b'])).toThrow(RangeError);
    expect(() => commandLine([])).toThrow(RangeError);
  });
});
