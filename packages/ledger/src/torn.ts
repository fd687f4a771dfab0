import { open, truncate } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { replaceFile } from './files.ts';
import { sha256Hex } from './merkle/hash.ts';

/** Bytes that a crash left after the last whole line, and where they are kept now. */
export interface TornReport {
  /** The file they were in, relative to the ledger. */
  readonly file: string;
  /** Where in that file they started. */
  readonly offset: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Where they are now, relative to the ledger. */
  readonly kept: string;
  readonly time: string;
  readonly why: string;
}

/** Moves the end of a file, from `offset` on, to `torn/`: copied and on disk before it is cut off. */
export async function setAside(
  dir: string,
  path: string,
  offset: number,
  bytes: Uint8Array,
  why: string,
): Promise<TornReport> {
  const report = await keepTorn(dir, path, offset, bytes, why);
  await truncate(path, offset);
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return report;
}

/** Writes torn bytes and their report to `torn/`. */
export async function keepTorn(
  dir: string,
  path: string,
  offset: number,
  bytes: Uint8Array,
  why: string,
): Promise<TornReport> {
  const sha256 = sha256Hex(bytes);
  const kept = `torn/${basename(path)}.${offset}.${sha256.slice(0, 16)}`;
  const time = new Date().toISOString();
  const report = { file: relative(dir, path), offset, bytes: bytes.length, sha256, kept, time, why };
  await replaceFile(join(dir, kept), bytes);
  await replaceFile(join(dir, `${kept}.json`), `${JSON.stringify(report, null, 2)}\n`);
  return report;
}
