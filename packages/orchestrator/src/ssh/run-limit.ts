import type { RunOptions, RunResult } from '../targets/runner.ts';
import { notReached } from './unreachable.ts';

/** How long a command may go on. */
export type RunLimit = {
  over: AbortSignal;
  /** Why it was ended. */
  why(): string;
  /** What is to be said where it was over before there was a connection. */
  unopened(): RunResult;
};

/** @param closing ends it too, where what runs it is not told otherwise */
export function runLimit(
  host: string,
  { timeout = 60, signal }: Pick<RunOptions, 'timeout' | 'signal'>,
  closing?: AbortSignal,
): RunLimit {
  const late = timeout === null ? undefined : AbortSignal.timeout(timeout * 1000);
  const letGo = (): boolean => signal?.aborted === true || closing?.aborted === true;
  const why = (): string => (letGo() ? 'it was let go' : `it did not end in ${timeout} s`);
  return {
    over: AbortSignal.any([late, signal, closing].filter((one) => one !== undefined)),
    why,
    unopened: () => {
      if (!signal?.aborted) throw notReached(host, letGo() ? why() : `no connection in ${timeout} s`);
      return { exitCode: undefined, stdout: '', stderr: '', originalMessage: why() };
    },
  };
}
