import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashTree, ownCode } from './hash-tree.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'her-hash-'));
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'data', 'rows.jsonl'), '{}\n');
});

afterEach(() => rm(root, { recursive: true, force: true }));

const unreadable = { code: 'INPUT_UNREADABLE', hint: expect.any(String), exitCode: 2 };

test("every file of a person's folder counts; of our own code, tests and caches do not", async () => {
  const before = [await hashTree(root), await hashTree(root, ownCode)];
  await writeFile(join(root, 'data', 'test_split.jsonl'), '{}\n');
  await mkdir(join(root, '__pycache__'));
  await writeFile(join(root, '__pycache__', 'x.pyc'), '');
  expect(await hashTree(root)).not.toBe(before[0]);
  expect(await hashTree(root, ownCode)).toBe(before[1]);
});

test('two links to one folder are no loop', async () => {
  await symlink(join(root, 'data'), join(root, 'again'));
  expect(await hashTree(root)).toMatch(/^[0-9a-f]{64}$/);
});

test('a link back into its own folder, or to itself, is an error with its path', async () => {
  await symlink(root, join(root, 'data', 'up'));
  const message = expect.stringContaining(join('data', 'up'));
  await expect(hashTree(root)).rejects.toMatchObject({ ...unreadable, message });
  await symlink('self', join(root, 'self'));
  await expect(hashTree(join(root, 'self'))).rejects.toMatchObject(unreadable);
});

test('a pipe is an error at once, not something to wait for', async () => {
  await execa('mkfifo', [join(root, 'pipe')]);
  await expect(hashTree(root)).rejects.toMatchObject(unreadable);
});
