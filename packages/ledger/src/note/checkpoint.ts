import { LedgerError } from '../errors.ts';
import { HASH_SIZE } from '../merkle/hash.ts';
import { decodeBase64, decodeDecimal } from './base64.ts';
import { isKeyName } from './signed-note.ts';

/** What a checkpoint states: this log, at this size, has this root. */
export interface CheckpointBody {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** Lines after the root. We write none, and keep those that others wrote. */
  readonly extensions: readonly string[];
}

/** Writes the text of a checkpoint, to be signed. */
export function formatCheckpoint(origin: string, size: number, root: Uint8Array): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/**
 * Reads the text of a checkpoint (the part that is signed).
 * @throws {LedgerError} `LEDGER_NOTE_MALFORMED`
 */
export function parseCheckpoint(text: string): CheckpointBody {
  if (!text.endsWith('\n')) malformed('its text does not end in a newline');
  const [origin, sizeText, rootText, ...extensions] = text.slice(0, -1).split('\n');
  if (origin === undefined || !isOrigin(origin)) malformed('it has no origin');
  const size = decodeDecimal(sizeText ?? '');
  if (size === undefined) malformed(`its size is ${JSON.stringify(sizeText ?? '')}`);
  const root = decodeBase64(rootText ?? '');
  if (root === undefined || root.length !== HASH_SIZE) malformed('its root is not a hash of 32 bytes');
  if (extensions.includes('')) malformed('an extension line is empty');
  return { origin, size, root, extensions };
}

/** Whether a text may be the origin line of a log. */
export function isOrigin(origin: string): boolean {
  return isKeyName(origin) && Buffer.byteLength(origin) <= 255;
}

function malformed(why: string): never {
  throw new LedgerError('LEDGER_NOTE_MALFORMED', `not a checkpoint: ${why}`);
}
