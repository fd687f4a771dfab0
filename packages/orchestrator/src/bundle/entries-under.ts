import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownCode } from '../hash-tree.ts';
import type { ArchiveEntry } from './archive.ts';

/** Files of a folder of our own, without tests and caches, under another name. */
export async function entriesUnder(folder: string, path: string): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!ownCode(entry.name)) continue;
    const from = join(folder, entry.name);
    const to = `${path}/${entry.name}`;
    if (entry.isDirectory()) entries.push(...(await entriesUnder(from, to)));
    else if (entry.isFile()) entries.push({ path: to, bytes: await readFile(from) });
  }
  return entries;
}
