import { errnoOf, LedgerError } from './errors.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const CONSEQUENCE = {
  append: 'nothing of this append was recorded',
  blob: 'the blob was not kept',
  checkpoint: 'the entries are recorded, their checkpoint is not signed yet',
  opening: 'it was not opened',
} as const;

/**
 * What a failed write means to the caller. Errors of our own pass through.
 * @param unkept why the partial bytes of an append could not be kept, if so
 */
export function diskError(error: unknown, during: keyof typeof CONSEQUENCE, unkept?: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof LedgerError || errno === undefined) return error;
  const partial = unkept instanceof Error ? ` (partial bytes were not kept: ${unkept.message})` : '';
  if (FULL.has(errno)) {
    return new LedgerError(
      'LEDGER_DISK_FULL',
      `no space left for the ledger: ${CONSEQUENCE[during]}${partial}`,
      {
        hint: 'free space on its disk and try again; what was acknowledged is safe',
        cause: error,
      },
    );
  }
  const what = error instanceof Error ? error.message : String(error);
  return new LedgerError(
    'LEDGER_IO',
    `the ledger's disk failed (${what}): ${CONSEQUENCE[during]}${partial}`,
    {
      hint: 'look at the disk, then try again; what was acknowledged is safe',
      cause: error,
    },
  );
}
