import { exitCodes, HerError, type HerErrorCode } from '../errors.ts';

const codes = {
  STORE_REFUSED: {
    exitCode: exitCodes.setup,
    hint: 'Look at the credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID), the bucket, its region and what they may do there.',
  },
  STORE_UNREACHABLE: {
    exitCode: exitCodes.waiting,
    hint: 'What was sent stays sent. Run the same command again in a while.',
  },
  STORE_TAKEN: {
    exitCode: exitCodes.invalid,
    hint: 'Two records must not share a place: give the study another prefix under `checkpoints.to`.',
  },
  STORE_UNVERIFIED: {
    exitCode: exitCodes.setup,
    hint: 'Use a store that checks and keeps SHA-256 checksums of objects and parts.',
  },
  CHECKPOINT_NOT_FOUND: {
    exitCode: exitCodes.invalid,
    hint: '`her ledger show --kind checkpoint.saved` lists them.',
  },
  CHECKPOINT_GONE: {
    exitCode: exitCodes.failed,
    hint: 'A trainer keeps as many as its own settings say (`save_total_limit`, `max_actor_ckpt_to_keep`).',
  },
  CHECKPOINT_DIFFERS: {
    exitCode: exitCodes.failed,
    hint: 'Its bytes are not those that the ledger has; nothing was taken over.',
  },
} as const;

export type StorageErrorCode = keyof typeof codes;

/** An error of storing or fetching. */
export function storageError(
  code: StorageErrorCode,
  message: string,
  more: { hint?: string; cause?: unknown } = {},
): HerError {
  // The table of all codes does not know these yet; with hint and exit code given it is not asked.
  const known = code as string as HerErrorCode;
  return new HerError(known, message, { ...codes[code], ...more });
}

/** Whether it is worth trying again by itself: the way there, not what was asked for. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof HerError)) return false;
  const code: string = error.code;
  return code === 'STORE_UNREACHABLE' || code === 'AGENT_UNREACHABLE';
}

export function isCode(error: unknown, code: StorageErrorCode): boolean {
  return error instanceof HerError && (error.code as string) === code;
}
