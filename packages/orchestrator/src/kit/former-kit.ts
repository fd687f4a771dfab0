import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KitDescription, KitFiles } from '@her/configs';
import { HerError } from '../errors.ts';
import { readKit } from './read-kit.ts';
import { isRenderFolder, renderFolders } from './render-folder.ts';

/**
 * What is at the place of a new kit: no folder, an empty one, or a kit with the files that it lists, and those of renders
 * that were cut short while they replaced it.
 */
export type Former = { is: 'absent' } | { is: 'empty' } | { is: 'kit'; files: string[] };

/**
 * Looks at the folder before anything is written to it.
 * @throws {HerError} where something would be lost that `her render` did not write
 */
export async function readFormer(folder: string, files: KitFiles): Promise<Former> {
  const there = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw taken(folder, 'it is no folder that can be read', cause);
  });
  if (there === undefined) return { is: 'absent' };
  if (there.every(isRenderFolder)) return { is: 'empty' };
  const kit = await readKit(folder);
  if (kit === undefined) throw taken(folder, 'it is not empty, and no kit: it has no kit.json');
  const kits = [kit, ...(await cutShort(folder))];
  const listed = [...new Set(kits.flatMap((one) => Object.keys(one.files)))].filter(
    (path) => path !== 'kit.json',
  );
  const edited: string[] = [];
  for (const path of new Set([...listed, ...Object.keys(files)])) {
    if (path === 'kit.json') continue;
    const content = files[path];
    const known = [...kits.map((one) => one.files[path]), content === undefined ? undefined : hash(content)];
    const state = await stateOf(folder, path, known);
    if (state === 'other') edited.push(path);
  }
  if (edited.length > 0) {
    const more = edited.length > 5 ? ` and ${edited.length - 5} more` : '';
    throw new HerError(
      'KIT_EDITED',
      `these were changed since ${folder} was written: ${edited.slice(0, 5).join(', ')}${more}`,
    );
  }
  return { is: 'kit', files: listed };
}

/**
 * The kits that renders were about to put here when they were cut short. Each had its whole list on the disk before it
 * replaced the first file, and takes it away last.
 */
async function cutShort(folder: string): Promise<KitDescription[]> {
  const { dead } = await renderFolders(folder);
  const kits = await Promise.all(
    // A list that is not whole is of a render that had replaced nothing.
    dead.map((name) => readKit(join(folder, name)).catch(() => undefined)),
  );
  return kits.filter((kit) => kit !== undefined);
}

/** The files of a kit that are not as they were written, or are gone. */
export async function editedFiles(folder: string, listed: Record<string, string>): Promise<string[]> {
  const edited: string[] = [];
  for (const [path, known] of Object.entries(listed))
    if ((await stateOf(folder, path, [known])) !== 'known') edited.push(path);
  return edited;
}

/** Whether a path holds a plain file of a known hash, nothing, or something that `her render` did not write. */
async function stateOf(
  folder: string,
  path: string,
  known: readonly (string | undefined)[],
): Promise<'known' | 'absent' | 'other'> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const found = await lstat(join(folder, ...parts.slice(0, depth))).catch(() => undefined);
    if (found === undefined) return 'absent';
    if (depth < parts.length ? !found.isDirectory() : !found.isFile()) return 'other';
  }
  return known.includes(hash(await readFile(join(folder, path)))) ? 'known' : 'other';
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function taken(folder: string, why: string, cause?: unknown): HerError {
  return new HerError('KIT_FOLDER_TAKEN', `the kit cannot be written to ${folder}: ${why}`, { cause });
}
