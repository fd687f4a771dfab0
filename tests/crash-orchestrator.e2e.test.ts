import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, readEntries, verifyLedger } from '@her/ledger';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { freshHome } from './support/her.ts';

const program = join(import.meta.dirname, 'support', 'fake-study.ts');
const steps = 12;

/** Runs the loop, killed with SIGKILL after each of the given delays, then once to the end. */
async function runThroughKills(home: string, delays: readonly number[]): Promise<string> {
  for (const delay of delays) {
    const run = execa('node', [program, home, String(steps), '0.08'], { reject: false });
    await new Promise((wake) => setTimeout(wake, delay));
    run.kill('SIGKILL');
    await run;
  }
  const last = await execa('node', [program, home, String(steps), '0.08'], { reject: false });
  expect(last.stderr).toBe('');
  return last.stdout;
}

async function entries(home: string): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of readEntries(join(home, 'studies', 'counting', 'ledger'))) found.push(entry);
  return found;
}

/** What must be so at the end, however often the loop was killed on the way. */
async function expectWholeRecord(home: string, printed: string, count = steps): Promise<void> {
  expect(JSON.parse(printed).map(([, is]: [string, string]) => is)).toEqual(['done', 'done', 'done', 'done']);
  const all = await entries(home);
  const of = <K extends Entry['kind']>(kind: K) =>
    all.filter((entry) => entry.kind === kind) as Extract<Entry, { kind: K }>[];
  for (const job of ['1', '2', '3', '4'].map((digit) => digit.repeat(16))) {
    expect(of('decision').filter((entry) => entry.job === job && entry.action === 'start')).toHaveLength(1);
    expect(of('attempt.ended').filter((entry) => entry.job === job)).toHaveLength(1);
    expect(
      of('seed.used')
        .filter((entry) => entry.job === job)
        .map(({ source }) => source)
        .sort(),
    ).toEqual(['data_seed']);
    const logged = of('metric').filter((entry) => entry.job === job);
    expect(logged.map(({ step }) => step)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  }
  const trained = readFileSync(join(home, 'steps.log'), 'utf8').trim().split('\n');
  expect(trained).toHaveLength(4 * count);
  expect(new Set(trained.map((line) => line.split(' ').slice(0, 2).join(' '))).size).toBe(4 * count);
  const report = await verifyLedger(join(home, 'studies', 'counting', 'ledger'));
  expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
}

test('killed with -9 at random moments, the loop comes to the same end: each job once, each event once', async () => {
  for (let round = 0; round < 2; round++) {
    const home = await freshHome();
    const delays = Array.from({ length: 5 }, () => Math.floor(150 + Math.random() * 1200));
    const printed = await runThroughKills(home, delays);
    await expectWholeRecord(home, printed).catch((error: unknown) => {
      throw new Error(`killed after ${delays.join(', ')} ms in ${home}`, { cause: error });
    });
  }
}, 300_000);

test('killed before or after any write or start, the loop comes to the same end', async () => {
  for (const point of [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22]) {
    const home = await freshHome();
    const killed = await execa('node', [program, home, '3', '0.02', String(point)], { reject: false });
    expect(killed.signal, `point ${point}`).toBe('SIGKILL');
    const again = await execa('node', [program, home, '3', '0.02'], { reject: false });
    expect(again.stderr, `point ${point}`).toBe('');
    await expectWholeRecord(home, again.stdout, 3).catch((error: unknown) => {
      throw new Error(`killed at point ${point} in ${home}`, { cause: error });
    });
  }
}, 300_000);

test('two loops at once: one works, the other is told who holds the ledger', async () => {
  const home = await freshHome();
  const first = execa('node', [program, home, String(steps), '0.08'], { reject: false });
  await new Promise((wake) => setTimeout(wake, 900));
  const second = await execa('node', [program, home, String(steps), '0.08'], { reject: false });
  expect(second.exitCode).not.toBe(0);
  expect(second.stderr).toContain('LEDGER_LOCKED');
  await expectWholeRecord(home, (await first).stdout);
}, 60_000);
