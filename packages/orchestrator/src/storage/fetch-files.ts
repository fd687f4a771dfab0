import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { FileHash } from '@her/ledger';
import { HerError } from '../errors.ts';
import { pause } from '../reconcile/pause.ts';
import { isDiskFull, systemWords } from '../system-error.ts';
import { backoff } from './backoff.ts';
import { mayPass } from './errors.ts';
import { arePlain } from './manifest.ts';

export type FetchOptions = {
  files: readonly FileHash[];
  /** A folder that is not there yet, or holds these very files. */
  out: string;
  bytes: (path: string, from: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  /** Bytes that are there, of the whole. */
  progress?: (there: number) => void;
  say?: (line: string) => void;
  tries?: number;
  firstPause?: number;
};

/**
 * Brings files to a new folder, each held against its hash. It has its name only once it is whole; until then it is
 * `OUT.partial`, which the next call goes on from.
 * @returns the bytes that came now
 * @throws {HerError} `FILE_TAKEN`, `CHECKPOINT_DIFFERS`, `DISK_FULL`, and what `bytes` throws
 */
export async function fetchFiles(options: FetchOptions): Promise<number> {
  const { files, out, signal } = options;
  if (!arePlain(files.map(({ path }) => path)))
    throw new HerError('CHECKPOINT_DIFFERS', 'its list of files leads out of its folder');
  await refuseTaken(out);
  const partial = `${out}.partial`;
  let there = 0;
  let came = 0;
  const got = (count: number, now: boolean): void => {
    there += count;
    if (now) came += count;
    options.progress?.(there);
  };
  try {
    await mkdir(partial, { recursive: true });
    await removeOthers(partial, new Set(files.map(({ path }) => path)));
    for (const file of files) {
      await oneFile(options, partial, file, got);
      signal.throwIfAborted();
    }
    await refuseTaken(out);
    await rename(partial, out);
  } catch (error) {
    if (error instanceof HerError || signal.aborted) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new HerError(
      isDiskFull(error) ? 'DISK_FULL' : 'FILE_UNWRITABLE',
      `${partial} cannot be written: ${systemWords(error)}`,
      { hint: 'Mend that, then run the same command again: it goes on from there.', cause: error },
    );
  }
  return came;
}

async function refuseTaken(out: string): Promise<void> {
  const found = await lstat(out).catch(() => undefined);
  if (found !== undefined)
    throw new HerError('FILE_TAKEN', `${out} is there already`, {
      hint: 'Nothing was written. Name another folder with --out.',
    });
}

async function oneFile(
  { bytes, signal, say, tries = 6, firstPause = 1_000 }: FetchOptions,
  partial: string,
  file: FileHash,
  got: (count: number, now: boolean) => void,
): Promise<void> {
  const path = join(partial, file.path);
  await mkdir(dirname(path), { recursive: true });
  let digest = await hashed(path, file.size);
  let at = digest.size;
  got(at, false);
  const handle = await open(path, at === 0 ? 'w' : 'r+');
  try {
    for (let failed = 0, again = false; ; ) {
      try {
        while (at < file.size) {
          const before = at;
          for await (const chunk of bytes(file.path, at, signal)) {
            if (at + chunk.length > file.size) throw differs(file, 'it is longer');
            await writeAll(handle, chunk, at);
            digest.hash.update(chunk);
            at += chunk.length;
            got(chunk.length, true);
          }
          signal.throwIfAborted();
          if (at < file.size && at === before) throw differs(file, 'it is shorter');
        }
      } catch (error) {
        failed += 1;
        if (!mayPass(error) || signal.aborted || failed >= tries) throw error;
        say?.(`${(error as Error).message}; it is tried again`);
        await pause(backoff(failed, { first: firstPause }), signal);
        continue;
      }
      if (digest.hash.digest('hex') === file.sha256) break;
      // What an earlier call left may be what is wrong.
      if (again || digest.size === 0) throw differs(file, 'its bytes have another hash');
      again = true;
      got(-at, false);
      await handle.truncate(0);
      digest = { hash: createHash('sha256'), size: 0 };
      at = 0;
    }
    await handle.sync();
  } catch (error) {
    if (error instanceof HerError && error.code === 'CHECKPOINT_DIFFERS') await handle.truncate(0);
    throw error;
  } finally {
    await handle.close();
  }
}

function differs({ path }: FileHash, why: string): HerError {
  return new HerError('CHECKPOINT_DIFFERS', `${path} is not the file that was saved: ${why}`);
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; )
    done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
}

/** The hash of what is there of a file; nothing of one that is too long. */
async function hashed(path: string, most: number): Promise<{ hash: Hash; size: number }> {
  const hash = createHash('sha256');
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size > most) return { hash, size: 0 };
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { hash, size };
}

/** What is no file of this checkpoint, an earlier call for another one left. Links are never written through. */
async function removeOthers(partial: string, wanted: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    if (!entry.isFile() || !wanted.has(relative(partial, path))) await rm(path);
  }
}
