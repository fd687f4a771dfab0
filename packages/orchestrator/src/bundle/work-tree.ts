import { copyFile, lstat, mkdtemp, readFile, readlink, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isThere } from '../environments/uv.ts';
import type { Listed } from './committed.ts';
import { git, gitList } from './git.ts';
import { ignoredHere } from './ignored.ts';

export type Change = { path: string; state: 'changed' | 'untracked' };

/** What differs from the last commit below a folder. What `.herignore` leaves out may differ. */
export async function changesIn(folder: string): Promise<Change[]> {
  const status = [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
    '--ignore-submodules=none',
    '--',
    '.',
  ];
  const rows = await gitList(folder, status);
  const prefix = (await git(folder, ['rev-parse', '--show-prefix'])).toString('utf8').trimEnd();
  const found: Change[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? '';
    const own = (path: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
    const state = row.startsWith('??') ? 'untracked' : 'changed';
    found.push({ path: own(row.slice(3)), state });
    // The former name of what was moved follows.
    if (/^[RC]|^.[RC]/.test(row)) found.push({ path: own(rows[++at] ?? ''), state });
  }
  const left = new Set(
    (
      await ignoredHere(
        folder,
        found.map(({ path }) => path),
      )
    ).map(({ path }) => path),
  );
  return found.filter(({ path }) => !left.has(path));
}

/** Files as they lie in a work tree: tracked ones, and others that no rule of git leaves out. */
export async function workTreeFiles(folder: string, prefix = ''): Promise<Listed[]> {
  const listed = await gitList(folder, ['ls-files', '-z', '-c', '-o', '--exclude-standard']);
  const files: Listed[] = [];
  for (const path of new Set(listed)) {
    const whole = join(folder, path);
    const info = await lstat(whole).catch(() => undefined);
    if (info === undefined) continue;
    if (info.isDirectory()) {
      // A submodule, or a repository inside this one.
      if (await isThere(join(whole, '.git')))
        files.push(...(await workTreeFiles(whole, `${prefix}${path.replace(/\/$/, '')}/`)));
      continue;
    }
    const link = info.isSymbolicLink();
    files.push({
      path: `${prefix}${path}`,
      size: info.size,
      kind: link ? 'link' : (info.mode & 0o100) === 0 ? 'file' : 'executable',
      read: async () => (link ? Buffer.from(await readlink(whole)) : await readFile(whole)),
    });
  }
  return files;
}

/** The difference to the last commit, with the content of files that git does not know yet. The index stays as it is. */
export async function differenceIn(folder: string, untracked: readonly string[]): Promise<Buffer> {
  const scratch = await mkdtemp(join(tmpdir(), 'her-index-'));
  try {
    const index = (await git(folder, ['rev-parse', '--git-path', 'index'])).toString('utf8').trimEnd();
    const copy = join(scratch, 'index');
    const own = isAbsolute(index) ? index : resolve(folder, index);
    await copyFile(own, copy);
    // By its age git tells files that may have changed after they were looked at.
    const { atime, mtime } = await stat(own);
    await utimes(copy, atime, mtime);
    const env = { GIT_INDEX_FILE: copy };
    if (untracked.length > 0) {
      const args = ['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'];
      await git(folder, ['--literal-pathspecs', ...args], { env, input: untracked.join('\0') });
    }
    const diff = [
      'diff',
      'HEAD',
      '--binary',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--submodule=diff',
    ];
    return await git(folder, [...diff, '--', '.'], { env });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
