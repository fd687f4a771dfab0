import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gangKey } from './gang-key.ts';

test('the key of an attempt is the same whenever it is asked for, and another for another token', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'her-gang-key-')), 'keys', 'gang.key');
  const keys = await Promise.all([1, 2, 3].map(() => gangKey(file, 'a-1', 't')));
  expect(new Set(keys).size).toBe(1);
  expect(await gangKey(file, 'a-1', 't')).toBe(keys[0]);
  expect(await gangKey(file, 'a-1', 'u')).not.toBe(keys[0]);
  expect(await gangKey(file, 'a-2', 't')).not.toBe(keys[0]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file)).toString('hex')).not.toBe(keys[0]);
});
