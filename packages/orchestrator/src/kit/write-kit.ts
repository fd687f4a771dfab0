import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KitFiles } from '@her/configs';
import { HerError } from '../errors.ts';
import { readFormer } from './former-kit.ts';

/**
 * Writes a kit, in place of a former one where there is one. All is written beside it first, so that a full disk
 * leaves the former kit; then it is put in place by renames. What others put into the folder (what jobs wrote, an
 * environment) stays.
 */
export async function writeKit(folder: string, files: KitFiles): Promise<{ replaced: boolean }> {
  const former = await readFormer(folder, files);
  const beside = `${folder.replace(/\/+$/, '')}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeAll(beside, files);
    if (former === null) await rename(beside, folder);
    else await replace(folder, beside, files, former.files);
  } catch (cause) {
    throw unwritable(folder, cause);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  return { replaced: former !== null };
}

async function writeAll(root: string, files: KitFiles): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text, { mode: isProgram(path) ? 0o777 : 0o666 });
  }
}

/** `kit.json` comes last: until then it lists what is to be removed, and the same command mends a half-done one. */
async function replace(
  folder: string,
  beside: string,
  files: KitFiles,
  formerFiles: readonly string[],
): Promise<void> {
  for (const path of Object.keys(files)) await mkdir(join(folder, dirname(path)), { recursive: true });
  for (const path of Object.keys(files))
    if (path !== 'kit.json') await rename(join(beside, path), join(folder, path));
  const stale = formerFiles.filter((path) => !Object.hasOwn(files, path));
  for (const path of stale) await rm(join(folder, path), { force: true });
  for (const path of stale) await removeEmptyFolders(folder, dirname(path));
  await rename(join(beside, 'kit.json'), join(folder, 'kit.json'));
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
