import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KitFiles } from '@her/configs';
import { HerError } from '../errors.ts';
import { readFormer } from './former-kit.ts';

/**
 * Writes a kit, in place of a former one where there is one. All of it is on the disk before anything is replaced, so
 * that a full disk leaves the former kit; then it is put in place by renames. What others put into the folder (what
 * jobs wrote, an environment) stays.
 */
export async function writeKit(folder: string, files: KitFiles): Promise<{ replaced: boolean }> {
  const former = await readFormer(folder, files);
  const name = `.her-render-${randomBytes(4).toString('hex')}`;
  // Inside of a folder that is there: it may be the only writable place, or a disk of its own.
  const written = join(former.is === 'absent' ? dirname(folder) : folder, name);
  try {
    await writeAll(written, files);
    if (former.is === 'absent') await rename(written, folder);
    else await putInPlace(folder, written, files, former.is === 'kit' ? former.files : null);
  } catch (cause) {
    throw unwritable(folder, cause);
  } finally {
    await rm(written, { recursive: true, force: true });
  }
  return { replaced: former.is === 'kit' };
}

async function writeAll(root: string, files: KitFiles): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text, { mode: isProgram(path) ? 0o777 : 0o666 });
  }
}

/**
 * The same command mends what was cut short: `kit.json` lists what may be there. A former one stays until its files are
 * replaced and removed; in an empty folder it is the first file.
 */
async function putInPlace(
  folder: string,
  written: string,
  files: KitFiles,
  former: readonly string[] | null,
): Promise<void> {
  const put = (path: string): Promise<void> => rename(join(written, path), join(folder, path));
  const paths = Object.keys(files).filter((path) => path !== 'kit.json');
  for (const path of paths) await mkdir(join(folder, dirname(path)), { recursive: true });
  if (former === null) await put('kit.json');
  for (const path of paths) await put(path);
  if (former === null) return;
  const stale = former.filter((path) => !Object.hasOwn(files, path));
  for (const path of stale) await rm(join(folder, path), { force: true });
  for (const path of stale) await removeEmptyFolders(folder, dirname(path));
  await put('kit.json');
}

async function removeEmptyFolders(folder: string, inside: string): Promise<void> {
  for (let path = inside; path !== '.'; path = dirname(path)) {
    const removed = await rmdir(join(folder, path)).then(
      () => true,
      // Others have something in it, or it went with another file.
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (!removed) return;
  }
}

function isProgram(path: string): boolean {
  return path.endsWith('.sh') || path === 'check-input.py';
}

function unwritable(folder: string, cause: unknown): HerError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new HerError('DISK_FULL', `no room for the kit at ${folder}; what was there is as it was`, {
      cause,
    });
  const why = cause instanceof Error ? cause.message : String(cause);
  return new HerError('KIT_UNWRITABLE', `the kit cannot be written to ${folder}: ${why}`, { cause });
}
