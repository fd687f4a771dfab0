import { disk } from '../views/plan/units.ts';
import { printable } from '../views/words.ts';

/** Milliseconds between two lines of progress where there is no terminal. */
const lineEvery = 10_000;
const drawEvery = 200;

/** How much of a number of bytes is there, on one line that is written over, or on lines of their own. */
export function openByteProgress(stream: NodeJS.WriteStream, bytes: number) {
  const every = stream.isTTY ? drawEvery : lineEvery;
  const begun = Date.now();
  let drawn = begun;
  let first: number | undefined;
  let open = false;
  const line = (there: number): string => {
    const seconds = (Date.now() - begun) / 1000;
    const pace = (there - (first ?? 0)) / Math.max(seconds, 0.001) / 1e6;
    const share = bytes === 0 ? 100 : Math.floor((100 * there) / bytes);
    return `${disk(there)} of ${disk(bytes)} (${share} %), ${pace.toFixed(0)} MB/s`;
  };
  const clear = (): void => {
    if (open) stream.write('\r\u001b[K');
    open = false;
  };
  return {
    at: (there: number): void => {
      first ??= there;
      if (Date.now() - drawn < every) return;
      drawn = Date.now();
      clear();
      stream.write(stream.isTTY ? line(there) : `${line(there)}\n`);
      open = stream.isTTY === true;
    },
    say: (text: string): void => {
      clear();
      stream.write(`${printable(text)}\n`);
    },
    close: clear,
  };
}
