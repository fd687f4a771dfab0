import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { ArchiveEntry } from './archive.ts';
import { dirtyTree, megabytes, tooLarge, unfit } from './code-errors.ts';
import { committedFiles, type Listed } from './committed.ts';
import { git } from './git.ts';
import { type Ignored, ignoredHere } from './ignored.ts';
import { changesIn, differenceIn, workTreeFiles } from './work-tree.ts';

/** The study's own code, as it goes to the nodes. */
export type Code = {
  files: ArchiveEntry[];
  /** SHA-256 over lines `<sha256>  <path>`; of a link, over where it leads. */
  digest: string;
  bytes: number;
  commit: string;
  /** Commits of submodules, by path. */
  submodules: Record<string, string>;
  dirty: Dirty | null;
  /** By `.herignore`. */
  leftOut: Ignored[];
};

/** How the code differs from its commit. `diff` can be applied to the commit; it holds the untracked files too. */
export type Dirty = { files: string[]; untracked: string[]; diff: Uint8Array };

export type CodeOptions = { allowDirty?: boolean; mostBytes?: number };

/**
 * Code of a folder in a git work tree: of its last commit, or as it lies there where `allowDirty` says so.
 * @throws {HerError} for a tree that differs from its commit, code that is too large, and what cannot be sent
 */
export async function collectCode(
  folder: string,
  { allowDirty = false, mostBytes = 64e6 }: CodeOptions = {},
): Promise<Code> {
  const commit = (await git(folder, ['rev-parse', '--verify', 'HEAD^{commit}'])).toString('latin1').trim();
  const changes = await changesIn(folder);
  const changed = changes.map(({ path }) => path);
  if (changes.length > 0 && !allowDirty) throw dirtyTree(folder, changed);
  const submodules: Record<string, string> = {};
  const committed = await committedFiles(folder, commit, submodules);
  const listed = changes.length === 0 ? committed : await workTreeFiles(folder);
  const leftOut = await ignoredHere(
    folder,
    listed.map(({ path }) => path),
  );
  const left = new Set(leftOut.map(({ path }) => path));
  const kept = listed.filter(({ path }) => !left.has(path));
  const bytes = refuseLarge(folder, kept, mostBytes);
  const files = await Promise.all(kept.map((one) => entryOf(folder, one)));
  const untracked = changes.filter(({ state }) => state === 'untracked').map(({ path }) => path);
  return {
    files,
    digest: digestOf(files),
    bytes,
    commit,
    submodules,
    dirty:
      changes.length === 0
        ? null
        : { files: changed, untracked, diff: await differenceIn(folder, untracked) },
    leftOut,
  };
}

function refuseLarge(folder: string, files: readonly Listed[], most: number): number {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= most) return bytes;
  const biggest = files.toSorted((a, b) => b.size - a.size).slice(0, 5);
  throw tooLarge(
    folder,
    bytes,
    most,
    biggest.map(({ path, size }) => `${path} (${megabytes(size)})`),
  );
}

async function entryOf(folder: string, { path, kind, read }: Listed): Promise<ArchiveEntry> {
  // What git shows for a name that is no UTF-8.
  if (path.includes('\ufffd') || path.includes('\n'))
    throw unfit(folder, JSON.stringify(path), 'has a name that cannot be sent');
  const bytes = await read();
  if (kind !== 'link') return { path, bytes, executable: kind === 'executable' };
  const link = bytes.toString('utf8');
  const leads = posix.normalize(posix.join(posix.dirname(path), link));
  if (link.startsWith('/') || leads === '..' || leads.startsWith('../'))
    throw unfit(folder, path, `is a link that leads out of it, to ${link}`);
  return { path, link };
}

function digestOf(files: readonly ArchiveEntry[]): string {
  const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
  const sorted = files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return sha(sorted.map((file) => `${sha(file.bytes ?? file.link)}  ${file.path}\n`).join(''));
}
