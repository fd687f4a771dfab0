import { readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KitFiles } from '@her/configs';
import { HerError } from '../errors.ts';
import { makeFolder, removeFolders } from '../make-folder.ts';
import { isDiskFull, systemWords } from '../system-error.ts';
import { readFormer } from './former-kit.ts';
import { removeRenderFolders, renderFolderName, renderFolders } from './render-folder.ts';

/**
 * Writes a kit, in place of a former one where there is one. All of it is on the disk before anything is replaced, so
 * that a full disk leaves the former kit; then it is put in place by renames. What others put into the folder (what
 * jobs wrote, an environment) stays.
 */
export async function writeKit(folder: string, files: KitFiles): Promise<{ replaced: boolean }> {
  const former = await readFormer(folder, files);
  try {
    if (former.is === 'absent') await writeNew(folder, files);
    else await writeInside(folder, files, former.is === 'kit' ? former.files : null);
  } catch (cause) {
    throw cause instanceof HerError ? cause : unwritable(folder, cause);
  }
  return { replaced: former.is === 'kit' };
}

async function writeNew(folder: string, files: KitFiles): Promise<void> {
  const made = await makeFolder(dirname(folder));
  await removeDead(dirname(folder));
  const written = join(dirname(folder), renderFolderName());
  try {
    await writeAll(written, files);
    await rename(written, folder);
  } catch (cause) {
    await rm(written, { recursive: true, force: true });
    await removeFolders(made);
    throw cause;
  }
}

/** Around a kit lies what is not ours: another person's leftovers there are that person's to remove. */
async function removeDead(folder: string): Promise<void> {
  const { dead } = await renderFolders(folder);
  for (const name of dead)
    await removeRenderFolders(folder, [name]).catch((error: NodeJS.ErrnoException) => {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
    });
}

/** Inside of a folder that is there: it may be the only writable place, or a disk of its own. */
async function writeInside(folder: string, files: KitFiles, former: readonly string[] | null): Promise<void> {
  const { dead } = await renderFolders(folder);
  const name = renderFolderName();
  const written = join(folder, name);
  try {
    for (const one of dead) await emptyButList(join(folder, one));
    await writeAll(written, files);
    const others = (await renderFolders(folder)).live.filter((one) => one !== name);
    if (others.length > 0) throw busy(folder);
  } catch (cause) {
    await rm(written, { recursive: true, force: true });
    throw cause;
  }
  // From here on the list in `written` says what may be in the folder, so it goes last, and after a failure it stays.
  await putInPlace(folder, written, files, former);
  await removeRenderFolders(folder, [...dead, name]);
}

/** Of a render that was cut short, what it had not put in place; its list may still be needed. */
async function emptyButList(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name !== 'kit.json') await rm(join(folder, name), { recursive: true, force: true });
}

async function writeAll(root: string, files: KitFiles): Promise<void> {
  await makeFolder(root);
  // The list is the last one: where it is, the rest is.
  const paths = [...Object.keys(files).filter((path) => path !== 'kit.json'), 'kit.json'];
  for (const path of paths) {
    await makeFolder(join(root, dirname(path)));
    await writeFile(join(root, path), files[path] ?? '', { mode: isProgram(path) ? 0o777 : 0o666 });
  }
}

/**
 * Any render mends what was cut short: the former `kit.json` and the one in `written` list what may be there. The former
 * one stays until its files are replaced and removed; in an empty folder the new one is the first file.
 */
async function putInPlace(
  folder: string,
  written: string,
  files: KitFiles,
  former: readonly string[] | null,
): Promise<void> {
  const put = (path: string): Promise<void> => rename(join(written, path), join(folder, path));
  const paths = Object.keys(files).filter((path) => path !== 'kit.json');
  for (const path of paths) await makeFolder(join(folder, dirname(path)));
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

function busy(folder: string): HerError {
  const hint = 'Wait until it has ended, then run the same command again.';
  return new HerError('KIT_FOLDER_TAKEN', `another \`her render\` is writing to ${folder}`, { hint });
}

function unwritable(folder: string, cause: unknown): HerError {
  if (isDiskFull(cause))
    return new HerError('DISK_FULL', `no room for the kit at ${folder}; what was there is as it was`, {
      cause,
    });
  const why = `the kit cannot be written to ${folder}: ${systemWords(cause)}`;
  return new HerError('KIT_UNWRITABLE', why, { cause });
}
