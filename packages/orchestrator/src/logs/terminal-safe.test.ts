import { expect, test } from 'vitest';
import { colourless, TerminalSafe } from './terminal-safe.ts';

function shown(...chunks: (string | Uint8Array)[]): string {
  const safe = new TerminalSafe();
  return chunks.map((chunk) => safe.feed(Buffer.from(chunk))).join('') + safe.rest();
}

test('text, line ends, tabs, bars and colours pass', () => {
  const text = 'a\tb\r\n\u001b[36m(Worker)\u001b[0m 10%\r20%\n';
  expect(shown(text)).toBe(text);
});

test('what moves, erases, renames or asks does not, also in pieces', () => {
  expect(shown('a\u001b[2Jb\u001b]0;title\u0007c\u001b[6nd\u001bMe')).toBe('abcde');
  expect(shown('a\u001b', '[2', 'Jb\u001b]0;ti', 'tle\u001b\\c')).toBe('abc');
  expect(shown('x\u0008\u0007\u009by')).toBe('x���y');
});

test('a character that comes in two pieces is whole, and an escape without an end is shown as such', () => {
  const bytes = Buffer.from('ä');
  expect(shown(bytes.subarray(0, 1), bytes.subarray(1))).toBe('ä');
  expect(shown('end\u001b[')).toBe('end�[');
});

test('a line with a prefix has no colours of its own', () => {
  expect(colourless('\u001b[1;31mred\u001b[0m \u001b[2Kplain')).toBe('red plain');
});
