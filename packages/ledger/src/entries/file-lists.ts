import { getBlob } from '../blobs.ts';
import { canonicalize } from '../canonical-json.ts';
import { LedgerError } from '../errors.ts';

/** One file of a checkpoint or an artifact. */
export interface FileHash {
  path: string;
  size: number;
  sha256: string;
}

/** The fields that say which files a digest covers. */
export type FileFields = { digest: string; files: FileHash[] } | { digest: string; filesBlob: string };

/** A longer list goes to a blob: a line has room for 65,535 bytes in all. */
const INLINE_BYTES = 16_384;

/** Puts a list of files into an entry's fields, by way of a blob when it is long. */
export async function fileFields(
  ledger: { putBlob(bytes: string): Promise<string> },
  digest: string,
  files: readonly FileHash[],
): Promise<FileFields> {
  const text = canonicalize(files);
  if (Buffer.byteLength(text) <= INLINE_BYTES) return { digest, files: [...files] };
  return { digest, filesBlob: await ledger.putBlob(text) };
}

/**
 * The files that an entry lists, wherever they are.
 * @throws {LedgerError} `LEDGER_BLOB`
 */
export async function filesOf(
  dir: string,
  entry: { files?: FileHash[]; filesBlob?: string },
): Promise<readonly FileHash[]> {
  if (entry.files !== undefined) return entry.files;
  if (entry.filesBlob === undefined) return [];
  const value: unknown = JSON.parse((await getBlob(dir, entry.filesBlob)).toString('utf8'));
  if (Array.isArray(value) && value.every(isFileHash)) return value;
  throw new LedgerError('LEDGER_BLOB', `blob ${entry.filesBlob} is not a list of files`);
}

function isFileHash(value: unknown): value is FileHash {
  if (typeof value !== 'object' || value === null) return false;
  const { path, size, sha256 } = value as Partial<Record<keyof FileHash, unknown>>;
  return typeof path === 'string' && typeof size === 'number' && typeof sha256 === 'string';
}
