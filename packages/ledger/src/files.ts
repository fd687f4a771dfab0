import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from './errors.ts';

/** How the names of unfinished files start. */
const TEMPORARY = '.tmp-';

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems refuse to sync a folder, and need not: their renames are synchronous.
    if (errnoOf(error) !== 'EINVAL' && errnoOf(error) !== 'ENOTSUP') throw error;
  } finally {
    await handle.close();
  }
}

/** Writes a file so that a reader, or a crash, finds the old bytes or the new and nothing between. */
export async function replaceFile(path: string, bytes: string | Uint8Array, mode = 0o644): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `${TEMPORARY}${randomBytes(8).toString('hex')}`);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** The bytes of a file, or `undefined` when there is none. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The names in a folder, sorted; none when the folder is not there. */
export async function listIfThere(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Removes the unfinished files that a crash left anywhere in a folder. Nothing ever named them. */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile() && file.name.startsWith(TEMPORARY))
      await rm(join(file.parentPath, file.name), { force: true });
  }
}
