import { chmod, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { collectCode } from './code.ts';
import { explainIgnored } from './ignored.ts';
import { gitTree } from './testing-tree.ts';

const textOf = async (code: Awaited<ReturnType<typeof collectCode>>): Promise<Record<string, string>> =>
  Object.fromEntries(
    code.files.map((file) => [file.path, file.link ?? Buffer.from(file.bytes ?? []).toString('utf8')]),
  );

test('the code is what the last commit holds, modes and links with it', async () => {
  const tree = await gitTree();
  await tree.write({ 'reward.py': 'x = 1\n', 'bin/go.sh': 'true\n', 'é ü/a.py': '' });
  await chmod(join(tree.folder, 'bin/go.sh'), 0o755);
  await symlink('../reward.py', join(tree.folder, 'bin/link.py'));
  const commit = await tree.commit();
  const code = await collectCode(tree.folder);
  expect(code).toMatchObject({ commit, dirty: null, submodules: {}, leftOut: [] });
  expect(await textOf(code)).toEqual({
    'reward.py': 'x = 1\n',
    'bin/go.sh': 'true\n',
    'bin/link.py': '../reward.py',
    'é ü/a.py': '',
  });
  expect(code.files.find(({ path }) => path === 'bin/go.sh')?.executable).toBe(true);
});

test('bytes are those of the commit, not those that a filter makes in the work tree', async () => {
  const tree = await gitTree();
  await tree.commit({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'one\ntwo\n' });
  await rm(join(tree.folder, 'a.txt'));
  await tree.git('checkout', 'a.txt');
  expect(await textOf(await collectCode(tree.folder))).toMatchObject({ 'a.txt': 'one\ntwo\n' });
});

test('a tree that differs is refused with the files that differ; what .herignore leaves out may differ', async () => {
  const tree = await gitTree();
  await tree.commit({ 'a.py': '1', 'b.py': '1', 'notes/n.txt': '1', '.herignore': 'notes/\n*.csv\n' });
  await tree.write({ 'a.py': '2', 'new.py': '1', 'notes/n.txt': '2', 'rows.csv': '1' });
  await tree.git('mv', 'b.py', 'c.py');
  await expect(collectCode(tree.folder)).rejects.toMatchObject({
    message: expect.stringMatching(/: a\.py, c\.py, b\.py, new\.py$/),
    hint: expect.stringContaining('--allow-dirty'),
    exitCode: 2,
  });
});

test('a tree that differs is recorded with a difference that makes it from the commit', async () => {
  const tree = await gitTree();
  const commit = await tree.commit({ 'a.py': '1\n', 'gone.py': '1\n' });
  await tree.write({ 'a.py': '2\n', 'new/b.py': 'new\n' });
  await rm(join(tree.folder, 'gone.py'));
  const code = await collectCode(tree.folder, { allowDirty: true });
  expect(await textOf(code)).toEqual({ 'a.py': '2\n', 'new/b.py': 'new\n' });
  expect(code).toMatchObject({ commit, dirty: { untracked: ['new/b.py'] } });
  expect(code.dirty?.files.toSorted()).toEqual(['a.py', 'gone.py', 'new/b.py']);
  expect(await tree.git('status', '--porcelain')).toContain('?? new/');

  const other = await mkdtemp(join(tmpdir(), 'her-applied-'));
  await execa('git', ['clone', '--quiet', tree.folder, other]);
  await execa('git', ['-C', other, 'apply', '-'], { input: code.dirty?.diff ?? '' });
  await execa('git', ['-C', other, 'add', '-A']);
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  await execa('git', ['-C', other, ...identity, 'commit', '--quiet', '-m', 'c']);
  expect((await collectCode(other)).digest).toBe(code.digest);
});

test('a folder of a larger repository stands for itself', async () => {
  const tree = await gitTree();
  await tree.commit({ 'study/a.py': '1', 'other/b.py': '1' });
  await tree.write({ 'other/b.py': '2' });
  expect(Object.keys(await textOf(await collectCode(join(tree.folder, 'study'))))).toEqual(['a.py']);
  await tree.write({ 'study/a.py': '2' });
  await expect(collectCode(join(tree.folder, 'study'))).rejects.toMatchObject({
    message: expect.stringMatching(/: a\.py$/),
  });
});

test('submodules are taken at the commits that are named; one that is not checked out is told', async () => {
  const [inner, outer] = [await gitTree(), await gitTree()];
  const commit = await inner.commit({ 'lib.py': 'inner' });
  await outer.git('submodule', '--quiet', 'add', inner.folder, 'lib');
  await outer.commit({ 'a.py': '1' });
  const code = await collectCode(outer.folder);
  expect(await textOf(code)).toMatchObject({ 'lib/lib.py': 'inner', 'a.py': '1' });
  expect(code.submodules).toEqual({ lib: commit });
  await writeFile(join(outer.folder, 'lib/lib.py'), 'changed');
  await expect(collectCode(outer.folder)).rejects.toMatchObject({ message: expect.stringMatching(/: lib$/) });
  const dirty = await collectCode(outer.folder, { allowDirty: true });
  expect(await textOf(dirty)).toMatchObject({ 'lib/lib.py': 'changed' });
  expect(Buffer.from(dirty.dirty?.diff ?? []).toString()).toContain('+changed');
  await rename(join(outer.folder, 'lib'), join(outer.folder, 'away'));
  await outer.git('submodule', '--quiet', 'deinit', '--force', 'lib');
  await rm(join(outer.folder, 'away'), { recursive: true });
  await expect(collectCode(outer.folder)).rejects.toMatchObject({ message: expect.stringContaining('lib') });
});

test('every file that is left out is named with its rule, its file and its line', async () => {
  const tree = await gitTree();
  await tree.commit({
    '.gitignore': '# made\n*.log\n',
    '.herignore': '/docs/\n\n*.md\n!keep.md\n',
    'docs/a.txt': '1',
    'b.md': '1',
    'keep.md': '1',
    'a.py': '1',
  });
  await tree.write({ 'run.log': '1', 'sub/deep.log': '1' });
  expect(await explainIgnored(tree.folder)).toEqual([
    { path: 'b.md', rule: '*.md', file: '.herignore', line: 3 },
    { path: 'docs/a.txt', rule: '/docs/', file: '.herignore', line: 1 },
    { path: 'run.log', rule: '*.log', file: '.gitignore', line: 2 },
    { path: 'sub/deep.log', rule: '*.log', file: '.gitignore', line: 2 },
  ]);
  const code = await collectCode(tree.folder);
  expect(Object.keys(await textOf(code))).toEqual(['.gitignore', '.herignore', 'a.py', 'keep.md']);
  expect(code.leftOut.map(({ path }) => path).toSorted()).toEqual(['b.md', 'docs/a.txt']);
});

test('code over the cap is refused before it is read, with the biggest files', async () => {
  const tree = await gitTree();
  await tree.commit({ 'a.bin': 'x'.repeat(3e6), 'b.bin': 'x'.repeat(2e6), 'c.py': '' });
  await expect(collectCode(tree.folder, { mostBytes: 4e6 })).rejects.toMatchObject({
    message: expect.stringContaining('5.0 MB, more than 4.0 MB. The biggest: a.bin (3.0 MB), b.bin (2.0 MB)'),
  });
});

test('what cannot be sent, and a folder without git, is one clear error', async () => {
  const tree = await gitTree();
  await symlink('/etc/passwd', join(tree.folder, 'out'));
  await tree.commit();
  await expect(collectCode(tree.folder)).rejects.toMatchObject({
    message: expect.stringContaining('out of the code'),
  });
  const pointer = await gitTree();
  await pointer.commit({ 'w.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' });
  await expect(collectCode(pointer.folder)).rejects.toMatchObject({
    message: expect.stringContaining('LFS'),
  });
  const plain = await mkdtemp(join(tmpdir(), 'her-plain-'));
  await expect(collectCode(plain)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
});
