/** Tries again after a failure, ever later, and never twice at once. */
export type Redial<T> = {
  /** One attempt that all who ask meanwhile share; after a failure it is begun only when its time has come. */
  attempt(): Promise<T>;
  /** What was opened has broken. */
  broke(): void;
  close(): void;
};

export type RedialOptions = {
  firstMs?: number;
  mostMs?: number;
  /** What lived this long counts as a success for good. */
  settledMs?: number;
  now?: () => number;
  random?: () => number;
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

export function openRedial<T>(open: () => Promise<T>, options: RedialOptions = {}): Redial<T> {
  const { firstMs = 500, mostMs = 30_000, settledMs = 10_000 } = options;
  const { now = () => performance.now(), random = Math.random, sleep = wait } = options;
  const closing = new AbortController();
  let running: Promise<T> | undefined;
  let failures = 0;
  let notBefore = Number.NEGATIVE_INFINITY;
  let openedAt = Number.NEGATIVE_INFINITY;
  const failed = (): void => {
    // Half of it is left to chance, so that hosts that were lost together are not dialled together.
    const most = Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20));
    failures += 1;
    notBefore = now() + most * (0.5 + random() / 2);
  };
  const begin = async (): Promise<T> => {
    const delay = notBefore - now();
    if (delay > 0) await sleep(delay, closing.signal);
    closing.signal.throwIfAborted();
    try {
      const opened = await open();
      openedAt = now();
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
      if (now() - openedAt >= settledMs) failures = 0;
      failed();
    },
    close: () => closing.abort(new Error('let go')),
  };
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
