import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { HerError } from './errors.ts';
import { systemWords } from './system-error.ts';

/** Studies, scripts and configs are written by hand; what is larger is something else. */
export const mostBytes = 16_000_000;

/** What kept a file from being read. `code` is that of the system, where it said something. */
export class Unreadable extends Error {
  readonly code: string | undefined;

  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'Unreadable';
    this.code = (cause as NodeJS.ErrnoException | undefined)?.code;
  }
}

/**
 * The bytes of a plain file. A pipe or a device is refused before it is opened, because it may never end or begin.
 * @throws {Unreadable}
 */
export async function readPlainFile(path: string, most = mostBytes): Promise<Buffer> {
  refuseOthers(await reading(() => stat(path)));
  // Nothing is waited for, whatever took the file's place since, or is no plain file in truth (/proc/kmsg).
  const file = await reading(() => open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const found = await reading(() => file.stat());
    refuseOthers(found);
    if (found.size > most) throw tooLarge(most);
    return await readUpTo(file, most);
  } finally {
    await file.close();
  }
}

/**
 * The text of a plain file that somebody named.
 * @param shown the path as it was written
 */
export async function readNamedFile(path: string, shown: string): Promise<string> {
  return (await readNamedBytes(path, shown)).toString('utf8');
}

export async function readNamedBytes(path: string, shown: string): Promise<Buffer> {
  return await readPlainFile(path).catch((cause: unknown) => {
    if (!(cause instanceof Unreadable)) throw cause;
    const looked = path === shown ? '' : ` (looked at ${path})`;
    throw new HerError('INPUT_UNREADABLE', `${shown} cannot be read: ${cause.message}${looked}`, { cause });
  });
}

async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let total = 0; ; ) {
    const part = Buffer.allocUnsafe(1 << 16);
    const { bytesRead } = await reading(() => file.read(part, 0, part.length));
    if (bytesRead === 0) return Buffer.concat(parts);
    total += bytesRead;
    if (total > most) throw tooLarge(most);
    parts.push(part.subarray(0, bytesRead));
  }
}

function refuseOthers(found: Awaited<ReturnType<typeof stat>>): void {
  if (found.isFile()) return;
  throw new Unreadable(found.isDirectory() ? 'it is a folder' : 'it is a pipe or a device, not a plain file');
}

function tooLarge(most: number): Unreadable {
  return new Unreadable(`it has more than ${most / 1e6} MB`);
}

async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new Unreadable(systemWords(cause), cause);
  }
}
