import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HerError } from '../errors.ts';
import { type Digests, digestsOf, type HashedFile } from './digests.ts';

/** A file or folder of this machine, hashed by the same rule as for a plan. */
export type LocalTree = Digests & { single: boolean; bytes: number; files: (HashedFile & { at: string })[] };

/**
 * Hashes what is to be sent. Links count as what they lead to, as in a plan.
 * @throws {HerError} `INPUT_MISSING`, `INPUT_UNREADABLE`
 */
export async function readLocalTree(root: string, signal: AbortSignal): Promise<LocalTree> {
  const files: LocalTree['files'] = [];
  const visit = async (at: string, path: string, above: readonly string[]): Promise<void> => {
    const found = await reading(at, () => stat(at));
    if (found.isDirectory()) {
      const real = await reading(at, () => realpath(at));
      if (above.includes(real)) throw unreadable(at, 'it is a link to a folder that it lies in');
      for (const name of await namesIn(at))
        await visit(join(at, name), path === '' ? name : `${path}/${name}`, [...above, real]);
      return;
    }
    if (!found.isFile()) throw unreadable(at, 'it is neither a file nor a folder');
    const { sha256, size } = await reading(at, () => hashOf(at, signal));
    files.push({ at, path: path === '' ? basename(root) : path, size, sha256 });
  };
  await visit(root, '', []);
  if (files.length === 0) throw unreadable(root, 'it holds no file');
  const single = files.length === 1 && files[0]?.at === root;
  return {
    ...digestsOf(files, single),
    single,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    files,
  };
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await reading(folder, () => readdir(folder, { encoding: 'buffer' }));
  return names
    .map((name) => {
      const text = name.toString('utf8');
      if (Buffer.from(text).equals(name) && !text.includes('\n')) return text;
      throw unreadable(join(folder, text), 'its name is no UTF-8, or has a line end');
    })
    .sort();
}

async function hashOf(at: string, signal: AbortSignal): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(at, { highWaterMark: 1 << 20, signal })) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { sha256: hash.digest('hex'), size };
}

async function reading<T>(at: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new HerError('INPUT_MISSING', `${at} is not on this machine`, { cause });
    throw unreadable(at, why, cause);
  }
}

function unreadable(at: string, why: string, cause?: unknown): HerError {
  return new HerError('INPUT_UNREADABLE', `${at} cannot be sent: ${why}`, {
    hint: 'It goes to the nodes byte for byte: put a readable file there, or take it out of the folder.',
    cause,
  });
}
