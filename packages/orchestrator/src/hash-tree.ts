import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HerError } from './errors.ts';

/** Which names inside a folder count. */
export type Kept = (name: string) => boolean;

const everything: Kept = () => true;

/** Of our own code, tests and caches do not change what a job does. */
export const ownCode: Kept = (name) => name !== '__pycache__' && !name.startsWith('test_');

/**
 * Digest of a file or folder: SHA-256 over lines `<sha256>  <path>`, sorted by path.
 * @throws {HerError} `INPUT_UNREADABLE` for what is no file or folder, cannot be read, or leads back into itself
 */
export async function hashTree(root: string, kept: Kept = everything): Promise<string> {
  const lines: string[] = [];
  const visit = async (path: string, name: string, above: readonly string[]): Promise<void> => {
    const found = await reading(path, () => stat(path));
    if (found.isDirectory()) {
      const real = await reading(path, () => realpath(path));
      if (above.includes(real)) throw unreadable(path, 'it is a link to a folder that it lies in');
      for (const child of (await reading(path, () => readdir(path))).sort().filter(kept))
        await visit(join(path, child), name === '' ? child : `${name}/${child}`, [...above, real]);
      return;
    }
    if (!found.isFile()) throw unreadable(path, 'it is neither a file nor a folder');
    lines.push(`${await reading(path, () => hashFile(path))}  ${name}\n`);
  };
  await visit(root, '', []);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw unreadable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function unreadable(path: string, why: string, cause?: unknown): HerError {
  return new HerError('INPUT_UNREADABLE', `${path} cannot be hashed: ${why}`, {
    hint: 'Its bytes are part of the plan: put a readable file there, or take it out of the folder.',
    cause,
  });
}
