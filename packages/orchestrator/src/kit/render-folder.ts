import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder in which a `her render` writes a kit before it is put in place. Its name says which process that is. */
const pattern = /^\.her-render-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{8}$/;

/** A render takes seconds. One of another machine that shares the disk cannot be asked whether it still lives. */
const foreignIsDeadAfter = 24 * 3600 * 1000;

export function isRenderFolder(name: string): boolean {
  return pattern.test(name);
}

/** A name for the folder of this process. */
export function renderFolderName(): string {
  const { pid } = process;
  return `.her-render-${here()}-${pid}-${startOf(pid) ?? 0}-${randomBytes(4).toString('hex')}`;
}

export type RenderFolders = { dead: string[]; live: string[] };

/** The folders that renders have in `folder`: of those that were cut short, and of those at work. */
export async function renderFolders(folder: string): Promise<RenderFolders> {
  const found: RenderFolders = { dead: [], live: [] };
  for (const name of await readdir(folder)) {
    if (!isRenderFolder(name)) continue;
    const about = await lstat(join(folder, name)).catch(() => undefined);
    if (about?.isDirectory() !== true) continue;
    found[isDead(name, about.mtimeMs) ? 'dead' : 'live'].push(name);
  }
  return found;
}

export async function removeRenderFolders(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}

function isDead(name: string, changed: number): boolean {
  const [, where, pid, start] = pattern.exec(name) ?? [];
  if (where !== here()) return Date.now() - changed > foreignIsDeadAfter;
  const now = startOf(Number(pid));
  return now === undefined || String(now) !== start;
}

/** When a process of this machine began, in the kernel's own count; undefined where there is none of that number. */
function startOf(pid: number): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and may hold blanks and brackets itself.
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return isAlive(pid) ? 0 : undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

let known: string | undefined;

/** This machine since its start, and in it the container: within it, a number means one process. */
function here(): string {
  const read = (look: () => string): string => {
    try {
      return look();
    } catch {
      return '';
    }
  };
  known ??= createHash('sha256')
    .update(hostname())
    .update(read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(read(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 8);
  return known;
}
