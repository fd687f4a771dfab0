/**
 * Waits until `signal` aborts: undefined then.
 * @param late is given what comes after that, to be let go
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => void = () => undefined,
): Promise<T | undefined> {
  let over = signal.aborted;
  const aborted = Promise.withResolvers<undefined>();
  const abort = (): void => {
    over = true;
    aborted.resolve(undefined);
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  void promise.then(
    (value) => over && late(value),
    () => undefined,
  );
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
