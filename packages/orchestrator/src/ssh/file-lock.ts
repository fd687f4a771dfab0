import { open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HerError } from '../errors.ts';
import { systemWords } from '../system-error.ts';

/** What is done under it takes milliseconds: who holds it this long is gone. */
const staleMs = 60_000;
const patienceMs = 15_000;

/** Does something to a file that no other `her` may do at the same time. */
export async function withFileLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const until = performance.now() + patienceMs;
  while (!(await take(lock))) {
    await removeStale(lock);
    if (performance.now() > until)
      throw new HerError('FILE_UNWRITABLE', `${file} cannot be written: another \`her\` holds ${lock}`, {
        hint: 'Wait for it; where none is at work, remove that file.',
      });
    await sleep(20 + 60 * Math.random());
  }
  try {
    return await act();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new HerError('FILE_UNWRITABLE', `${lock} cannot be written: ${systemWords(cause)}`, { cause });
  }
}

async function removeStale(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs < staleMs) return;
  // Under a name of its own first: of two who remove it, one finds nothing.
  const aside = `${lock}.${process.pid}`;
  await rename(lock, aside).catch(() => undefined);
  await rm(aside, { force: true });
}
