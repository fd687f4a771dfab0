import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KitFiles } from '@her/configs';
import { HerError } from '../errors.ts';
import { readKit } from './read-kit.ts';

/** What is at the place of a new kit: nothing, or a kit whose files are as they were written. */
export type Former = { files: string[] } | null;

/**
 * Looks at the folder before anything is written to it.
 * @throws {HerError} where something would be lost that `her render` did not write
 */
export async function readFormer(folder: string, files: KitFiles): Promise<Former> {
  const there = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw taken(folder, 'it is no folder that can be read', cause);
  });
  if (there.length === 0) return null;
  const kit = await readKit(folder);
  if (kit === undefined) throw taken(folder, 'it is not empty, and no kit: it has no kit.json');
  const listed = Object.keys(kit.files);
  const edited: string[] = [];
  for (const path of new Set([...listed, ...Object.keys(files)])) {
    if (path === 'kit.json') continue;
    const known = [kit.files[path], files[path] === undefined ? undefined : hash(files[path])];
    if (await isOthers(folder, path, known)) edited.push(path);
  }
  if (edited.length > 0) {
    const more = edited.length > 5 ? ` and ${edited.length - 5} more` : '';
    throw new HerError(
      'KIT_EDITED',
      `these were changed since ${folder} was written: ${edited.slice(0, 5).join(', ')}${more}`,
    );
  }
  return { files: listed };
}

/** Whether something is there that a former render did not write, or that was edited since. */
async function isOthers(
  folder: string,
  path: string,
  known: readonly (string | undefined)[],
): Promise<boolean> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(folder, ...parts.slice(0, depth));
    const found = await lstat(part).catch(() => undefined);
    if (found === undefined) return false;
    if (depth < parts.length ? !found.isDirectory() : !found.isFile()) return true;
  }
  return !known.includes(hash(await readFile(join(folder, path))));
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function taken(folder: string, why: string, cause?: unknown): HerError {
  return new HerError('KIT_FOLDER_TAKEN', `the kit cannot be written to ${folder}: ${why}`, { cause });
}
