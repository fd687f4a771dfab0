import { expect, test } from 'vitest';
import { eraseReflowed } from './watch.ts';

test('rows that a narrower terminal made of the last picture are erased; a wider one makes none', () => {
  expect(eraseReflowed(['x'.repeat(10), ''], 10, 4)).toBe('\u001b[2A\r\u001b[J');
  expect(eraseReflowed(['x'.repeat(10), ''], 10, 20)).toBe('');
  expect(eraseReflowed([], 0, 20)).toBe('');
});
