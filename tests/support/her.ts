import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa, type Options } from 'execa';

/** The checkout under test. */
export const checkout = resolve(import.meta.dirname, '..', '..');
export const main = join(checkout, 'packages', 'orchestrator', 'src', 'main.ts');

/** Trainer environments are shared by all tests: setting them up is measured elsewhere. */
export const environments = process.env['HER_ENVIRONMENTS'] ?? join(checkout, '.her', 'envs');

export async function freshHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'her-test-'));
}

/** Starts `her` as a person would; it is not awaited here, so that a test may interrupt or kill it. */
export function her(home: string, args: readonly string[], options: Options = {}) {
  return execa('node', [main, ...args], {
    cwd: checkout,
    reject: false,
    env: { HER_HOME: home, HER_ENVIRONMENTS: environments, INIT_CWD: checkout },
    ...options,
  });
}

/** Entries of a study, as `her ledger show` prints them. */
export async function entriesOf(home: string, ...filter: string[]): Promise<Record<string, unknown>[]> {
  const shown = await her(home, ['ledger', 'show', ...filter]);
  if (shown.exitCode !== 0) throw new Error(String(shown.stderr));
  return String(shown.stdout)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Waits until `look` gives something, at most `seconds`. */
export async function until<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((wake) => setTimeout(wake, 1000));
  }
}
