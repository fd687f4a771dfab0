import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A file that is whole on the disk, beside the place that it is for. */
export type StagedFile = {
  /** Puts it in place: in one step, and over nothing unless `replace`. Fails with EEXIST where something is there. */
  put(replace: boolean): Promise<void>;
  /** Takes it away, where it was not put. */
  drop(): Promise<void>;
};

/** Writes a file beside its place, so that a full disk leaves neither half of it nor less of what was there. */
export async function stageFile(path: string, text: string): Promise<StagedFile> {
  const beside = join(dirname(path), `.${basename(path).slice(0, 200)}.${randomBytes(4).toString('hex')}`);
  const drop = (): Promise<void> => rm(beside, { force: true });
  try {
    await writeFile(beside, text, { flag: 'wx' });
  } catch (error) {
    await drop();
    throw error;
  }
  return { put: (replace) => (replace ? putOver(beside, path) : putNew(beside, path)), drop };
}

/** Writes a file where none is. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await refuseTaken(path);
  const staged = await stageFile(path, text);
  try {
    await staged.put(false);
  } finally {
    await staged.drop();
  }
}

async function putOver(beside: string, path: string): Promise<void> {
  // A link stays one: what it leads to is replaced.
  await rename(beside, await realpath(path).catch(() => path));
}

async function putNew(beside: string, path: string): Promise<void> {
  try {
    await link(beside, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw error;
    // A file system without links.
    await copyFile(beside, path, constants.COPYFILE_EXCL).catch(async (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') await rm(path, { force: true });
      throw cause;
    });
  }
  await rm(beside, { force: true });
}

async function refuseTaken(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined) throw Object.assign(new Error(`${path} is there already`), { code: 'EEXIST' });
}
