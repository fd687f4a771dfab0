import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineCutter } from './line-cutter.ts';

function cut(...chunks: string[]): string[] {
  const cutter = new LineCutter(0);
  const lines = chunks.flatMap((chunk) => cutter.feed(Buffer.from(chunk)));
  return [...lines, ...cutter.rest()].map(({ text }) => text);
}

test('lines are whole however their bytes come, and know the byte that they begin at', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(40)), (words, cuts) => {
      const texts = words.map((word) => word.replace(/[\r\n]/g, ''));
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      const cutter = new LineCutter(7);
      const lines: { text: string; at: number }[] = [];
      let from = 0;
      for (const size of [...cuts, bytes.length]) {
        lines.push(...cutter.feed(bytes.subarray(from, from + size)));
        from = Math.min(bytes.length, from + size);
      }
      expect(lines.map(({ text }) => text)).toEqual(texts);
      let at = 7;
      for (const [i, line] of lines.entries()) {
        expect(line.at).toBe(at);
        at += Buffer.byteLength(texts[i] ?? '') + 1;
      }
      expect(cutter.rest()).toEqual([]);
    }),
  );
});

test('a line that a bar was drawn over is what it showed last', () => {
  expect(cut('\r 10%\r 20%', '\r100%\n', 'next\n')).toEqual(['100%', 'next']);
  expect(cut('windows\r\n', 'split\r', '\nlast without end')).toEqual([
    'windows',
    'split',
    'last without end',
  ]);
  expect(cut('\n\n')).toEqual(['', '']);
});

test('a bar can be looked at while it is drawn, and is not told twice', () => {
  const cutter = new LineCutter(0);
  expect(cutter.feed(Buffer.from('no bar yet'))).toEqual([]);
  expect(cutter.progress()).toBe(undefined);
  cutter.feed(Buffer.from('\r 10%'));
  expect(cutter.progress()).toEqual({ text: ' 10%', at: 0 });
  expect(cutter.progress()).toBe(undefined);
  cutter.feed(Buffer.from('\r 20%'));
  expect(cutter.progress()).toEqual({ text: ' 20%', at: 0 });
  expect(cutter.feed(Buffer.from('\nafter\n')).map(({ text }) => text)).toEqual(['after']);
});

test('a line without an end is given in pieces, none of which breaks a character', () => {
  const text = 'ä'.repeat(100_000);
  const pieces = cut(text.slice(0, 50_001), text.slice(50_001));
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join('')).toBe(text);
});
