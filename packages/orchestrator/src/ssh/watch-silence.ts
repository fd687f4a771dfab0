import type { Duplex } from 'node:stream';

/** Calls back once when nothing has come from the other side for that long. */
export function watchSilence(stream: Duplex, milliseconds: number, silent: () => void): { stop(): void } {
  let last = performance.now();
  let stopped = false;
  const listen = (): void => {
    last = performance.now();
  };
  stream.on('data', listen);
  const quiet = (): boolean => !stopped && performance.now() - last >= milliseconds;
  const stop = (): void => {
    stopped = true;
    clearInterval(timer);
    stream.off('data', listen);
  };
  const timer = setInterval(() => {
    // A machine that slept has not listened: what came meanwhile is read first.
    if (quiet())
      setImmediate(() => {
        if (!quiet()) return;
        stop();
        silent();
      });
  }, milliseconds / 8);
  timer.unref();
  return { stop };
}
