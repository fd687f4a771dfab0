import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, test, vi } from 'vitest';
import { installation } from '../home.ts';
import { code } from './code.ts';

afterEach(() => vi.restoreAllMocks());

async function studyWith(words: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'her-code-'));
  const tiny = await readFile(join(installation, 'studies', 'tiny.yaml'), 'utf8');
  await writeFile(join(folder, 'own.yaml'), tiny.replace('\nmodels:', `\n${words}\nmodels:`));
  return folder;
}

async function told(file: string, options: Parameters<typeof code>[1]): Promise<string> {
  let out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  expect(await code(file, options)).toBe(0);
  vi.restoreAllMocks();
  return out;
}

const plain = { ignored: false, allowDirty: false, json: false };

test('a study without code says so', async () => {
  const folder = await studyWith('');
  expect(await told(join(folder, 'own.yaml'), plain)).toContain('names no code of its own');
});

test('each file that stays here is named, with the rule that says so', async () => {
  const folder = await studyWith('code: { path: . }');
  await writeFile(join(folder, 'reward.py'), 'x = 1\n');
  await writeFile(join(folder, 'notes.md'), 'mine\n');
  await writeFile(join(folder, 'big.bin'), '0\n');
  await writeFile(join(folder, '.gitignore'), '*.bin\n');
  await writeFile(join(folder, '.herignore'), '# kept here\n*.md\n');
  const git = (...args: string[]) =>
    execa('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'all');
  const file = join(folder, 'own.yaml');
  const { files, ignored } = JSON.parse(await told(file, { ...plain, ignored: true, json: true }));
  expect(files).toContain('reward.py');
  expect(files).not.toContain('notes.md');
  expect(ignored).toEqual([
    { path: 'big.bin', rule: '*.bin', file: '.gitignore', line: 1 },
    { path: 'notes.md', rule: '*.md', file: '.herignore', line: 2 },
  ]);
  expect(await told(file, { ...plain, ignored: true })).toMatch(/notes\.md +\*\.md +\.herignore:2/);
});
