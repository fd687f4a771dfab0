import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KitFiles } from '@her/configs';
import { HerError } from '../errors.ts';
import { readKit } from './read-kit.ts';

/** What is at the place of a new kit: no folder, an empty one, or a kit with the files that it lists. */
export type Former = { is: 'absent' } | { is: 'empty' } | { is: 'kit'; files: string[] };

/** A folder in which a new kit is written before it is put in place. */
export const unfinished = /^\.her-render-[0-9a-f]{8}$/;

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
  if (there.every((name) => unfinished.test(name))) return { is: 'empty' };
  const kit = await readKit(folder);
  if (kit === undefined) throw taken(folder, 'it is not empty, and no kit: it has no kit.json');
  const listed = Object.keys(kit.files);
  const edited: string[] = [];
  for (const path of new Set([...listed, ...Object.keys(files)])) {
    if (path === 'kit.json') continue;
    const text = files[path];
    const state = await stateOf(folder, path, [kit.files[path], text === undefined ? undefined : hash(text)]);
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

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function taken(folder: string, why: string, cause?: unknown): HerError {
  return new HerError('KIT_FOLDER_TAKEN', `the kit cannot be written to ${folder}: ${why}`, { cause });
}
