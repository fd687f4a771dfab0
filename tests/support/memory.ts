import { readFileSync } from 'node:fs';

/** Gigabytes that the machine can still give, by the kernel's own estimate. */
function availableGb(): number {
  const line = readFileSync('/proc/meminfo', 'utf8').match(/^MemAvailable:\s+(\d+) kB$/m);
  if (line === null) throw new Error('/proc/meminfo has no MemAvailable');
  return (Number(line[1]) * 1024) / 1e9;
}

/** Watches how much memory is taken from now on, once a second. Everything on the machine counts. */
export function watchMemory(): { peakGb: () => number; stop: () => void } {
  const before = availableGb();
  let least = before;
  const timer = setInterval(() => {
    least = Math.min(least, availableGb());
  }, 1000);
  return { peakGb: () => before - least, stop: () => clearInterval(timer) };
}
