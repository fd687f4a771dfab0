import { setTimeout as sleep } from 'node:timers/promises';

/** Tries again after a failure, ever later, and never twice at once. */
export type Redial<T> = {
  /** One attempt that all who ask meanwhile share; after a failure it is begun only when its time has come. */
  attempt(): Promise<T>;
  /** What was opened has broken. */
  broke(): void;
  close(): void;
};

const firstMs = 500;
const mostMs = 30_000;
/** What lived this long counts as a success for good. */
const settledMs = 10_000;

export function openRedial<T>(open: () => Promise<T>): Redial<T> {
  const closing = new AbortController();
  let running: Promise<T> | undefined;
  let failures = 0;
  let notBefore = Number.NEGATIVE_INFINITY;
  let openedAt = Number.NEGATIVE_INFINITY;
  const failed = (): void => {
    // Half of it is left to chance, so that hosts that were lost together are not dialled together.
    const most = Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20));
    failures += 1;
    notBefore = performance.now() + most * (0.5 + Math.random() / 2);
  };
  const begin = async (): Promise<T> => {
    const delay = notBefore - performance.now();
    if (delay > 0) await sleep(delay, undefined, { signal: closing.signal }).catch(() => undefined);
    closing.signal.throwIfAborted();
    try {
      const opened = await open();
      openedAt = performance.now();
      return opened;
    } catch (error) {
      failed();
      throw error;
    }
  };
  return {
    attempt: () => {
      running ??= begin().finally(() => {
        running = undefined;
      });
      return running;
    },
    broke: () => {
      if (performance.now() - openedAt >= settledMs) failures = 0;
      failed();
    },
    close: () => closing.abort(new Error('let go')),
  };
}
