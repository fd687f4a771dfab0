/**
 * Why the ledger refused.
 *
 * - `LEDGER_LOCKED`          another writer holds the ledger
 * - `LEDGER_LOCK_LOST`       somebody removed or replaced our lock, or wrote to our segment
 * - `LEDGER_CLOSED`          used after `close()`
 * - `LEDGER_DISK_FULL`       no space (or quota) left; nothing of the append was recorded
 * - `LEDGER_IO`              the disk failed; nothing of the append was recorded
 * - `LEDGER_CORRUPT`         bytes under the log are not what a writer leaves behind
 * - `LEDGER_ENTRIES_LOST`    a signed checkpoint covers more entries than are there
 * - `LEDGER_MISSING`         no ledger at that place
 * - `LEDGER_ORIGIN_MISMATCH` the folder belongs to another log
 * - `LEDGER_KEY`             the signing key is absent, exposed, malformed, or another log's
 * - `LEDGER_KIND_UNKNOWN`    an entry of a kind this version does not know
 * - `LEDGER_ENTRY_INVALID`   an entry that does not fit its schema
 * - `LEDGER_ENTRY_TOO_LARGE` a line longer than 65,535 bytes
 * - `LEDGER_UNREPRESENTABLE` a value that JSON cannot carry exactly
 * - `LEDGER_NOTE_MALFORMED`  not a signed note, or not a checkpoint
 * - `LEDGER_SIGNATURE`       no signature of a trusted key, or a wrong one
 * - `LEDGER_PROOF`           a Merkle proof that does not hold, or that cannot be made
 * - `LEDGER_BLOB`            a blob is missing or does not match its name
 */
export type LedgerErrorCode =
  | 'LEDGER_LOCKED'
  | 'LEDGER_LOCK_LOST'
  | 'LEDGER_CLOSED'
  | 'LEDGER_DISK_FULL'
  | 'LEDGER_IO'
  | 'LEDGER_CORRUPT'
  | 'LEDGER_ENTRIES_LOST'
  | 'LEDGER_MISSING'
  | 'LEDGER_ORIGIN_MISMATCH'
  | 'LEDGER_KEY'
  | 'LEDGER_KIND_UNKNOWN'
  | 'LEDGER_ENTRY_INVALID'
  | 'LEDGER_ENTRY_TOO_LARGE'
  | 'LEDGER_UNREPRESENTABLE'
  | 'LEDGER_NOTE_MALFORMED'
  | 'LEDGER_SIGNATURE'
  | 'LEDGER_PROOF'
  | 'LEDGER_BLOB';

/** The only error this package throws on purpose; `hint` says what to do about it. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: LedgerErrorCode;
  readonly hint: string | undefined;

  constructor(code: LedgerErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** The errno name of a system error (`ENOENT`, `ENOSPC`, …), else `undefined`. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
