import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError } from './disk-error.ts';
import { errnoOf, LedgerError } from './errors.ts';
import { readIfThere, replaceFile, syncFolder } from './files.ts';
import { sha256Hex } from './merkle/hash.ts';

export function blobsFolder(dir: string): string {
  return join(dir, 'blobs', 'sha256');
}

/** Where a blob lies. */
export function blobPath(dir: string, sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw new LedgerError('LEDGER_BLOB', `${sha256} is not a SHA-256 in hex`);
  return join(blobsFolder(dir), sha256.slice(0, 2), sha256);
}

/** Stores bytes under their hash and returns it, once they are on disk. Storing twice is harmless. */
export async function putBlob(dir: string, bytes: string | Uint8Array): Promise<string> {
  const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const name = sha256Hex(body);
  const path = blobPath(dir, name);
  if ((await sizeOf(path)) === body.length) return name;
  try {
    await replaceFile(path, body, 0o444);
    await syncFolder(blobsFolder(dir));
  } catch (error) {
    throw diskError(error, 'blob');
  }
  return name;
}

/**
 * Reads a blob and checks it against its name.
 * @throws {LedgerError} `LEDGER_BLOB`
 */
export async function getBlob(dir: string, sha256: string): Promise<Buffer> {
  const bytes = await readIfThere(blobPath(dir, sha256));
  if (bytes === undefined) throw new LedgerError('LEDGER_BLOB', `blob ${sha256} is missing`);
  const found = sha256Hex(bytes);
  if (found !== sha256) {
    throw new LedgerError('LEDGER_BLOB', `blob ${sha256} was altered: its bytes hash to ${found}`);
  }
  return bytes;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
