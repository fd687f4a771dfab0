import type { FileHash } from '@her/ledger';

/** A checkpoint as its node proved it whole, from its ledger entry. */
export type SavedCheckpoint = {
  job: string;
  attempt: string;
  node: string;
  step: number;
  /** In the attempt's folder. */
  path: string;
  digest: string;
  files?: FileHash[];
  filesBlob?: string;
};

/** One checkpoint among all of a study. */
export function keyOf({ attempt, path }: { attempt: string; path: string }): string {
  return `${attempt} ${path}`;
}

export function attemptNumber(attempt: string): number {
  return Number(attempt.slice(attempt.lastIndexOf('-') + 1)) || 0;
}

/** Newest first: the later step; of equal ones the later attempt. */
export function newestFirst(
  a: { step: number; attempt: string },
  b: { step: number; attempt: string },
): number {
  return b.step - a.step || attemptNumber(b.attempt) - attemptNumber(a.attempt);
}
