import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Bed,
  bed as bedCommand,
  bedlessReason,
  computeHosts,
  openBed,
  visibleEnvironments,
} from './support/bed.ts';
import { environmentPaths, writeBedStudy } from './support/bed-study.ts';
import { entriesOf, freshHome, her, until } from './support/her.ts';

const why = bedlessReason('A cut link');

/** Longer than it takes to notice; the two minutes that a person would try are a matter of this number. */
const cutSeconds = Number(process.env['HER_CUT_SECONDS'] ?? 50);
const job = 'sft/11';

let bed: Bed;
let folder = '';
let root = '';
let host = '';

describe.skipIf(why !== null)('a link that is cut', { timeout: 900_000 + 2000 * cutSeconds }, () => {
  beforeAll(async () => {
    bed = await openBed();
    [host = ''] = computeHosts(bed, 1);
    folder = await mkdtemp(join(tmpdir(), 'her-cut-'));
    root = await mkdtemp(join(bed.shared, 'cut-'));
  }, 600_000);
  afterAll(async () => {
    if (folder === '') return;
    await bedCommand(['restore', host], false);
    await rm(folder, { recursive: true, force: true });
    await rm(root, { recursive: true, force: true });
    await bed.close();
  });

  test('twice in the middle of a step: the run goes on, nothing is lost, doubled or started again', async () => {
    const file = await writeStudy();
    const home = await freshHome();
    const env = { HER_HOME: home, INIT_CWD: folder, HER_SSH_CONFIG: bed.ssh.config };
    const running = her(home, ['run', file], { env });
    const ended = running.then((result) => result);
    await until('the first step', 240, async () => ((await lastStep(home)) > 0 ? true : undefined));
    const following = her(home, ['logs', job, '-f'], {
      env,
      encoding: 'buffer',
      stripFinalNewline: false,
      maxBuffer: 2 ** 28,
    });

    for (const cut of [1, 2]) {
      const before = await lastStep(home);
      await bedCommand(['cut', host]);
      const since = Date.now();
      await until(`unknown during cut ${cut}`, cutSeconds + 60, async () => {
        const shown = await her(home, ['status'], { env });
        return /unknown since \d{4}-\d\d-\d\dT/.test(String(shown.stdout)) ? true : undefined;
      });
      await sleep(Math.max(0, cutSeconds * 1000 - (Date.now() - since)));
      await bedCommand(['restore', host]);
      await until(`a step after cut ${cut}`, 180, async () =>
        (await lastStep(home)) > before ? true : undefined,
      );
    }

    const result = await ended;
    expect(result.exitCode, String(result.stderr)).toBe(0);
    expect((await entriesOf(home, '--kind', 'attempt.started')).length).toBe(2);
    const [attempt] = await attemptsOf(home);
    const [ledger = ''] = await readdir(join(root, 'studies'));
    const attemptFolder = join(root, 'studies', ledger, 'attempts', String(attempt));

    const told = (await readFile(join(attemptFolder, 'events.jsonl'), 'utf8')).trim().split('\n');
    const metrics = told.map((line) => JSON.parse(line)).filter(({ type }) => type === 'metric');
    const recorded = (await entriesOf(home, '--kind', 'metric')).filter(
      (entry) => entry['attempt'] === attempt,
    );
    expect(recorded.map(({ seq }) => seq)).toEqual(metrics.map(({ seq }) => seq));
    const steps = recorded.map(({ step }) => Number(step));
    expect(steps).toEqual([...steps].sort((a, b) => a - b));

    const log = await readFile(join(attemptFolder, 'logs', 'rank-0.log'));
    const followed = await following;
    expect(followed.exitCode, String(followed.stderr)).toBe(0);
    const received = followed.stdout as unknown as Uint8Array;
    expect(received.length).toBe(log.length);
    expect(digest(received)).toBe(digest(log));
    await rm(home, { recursive: true, force: true });
  });
});

/** One host, and as many steps as outlast both cuts: about one a second. */
async function writeStudy(): Promise<string> {
  const target = {
    kind: 'ssh',
    hosts: [host],
    root,
    environments: await environmentPaths(await visibleEnvironments()),
    cores: 2,
    memory_gb: 20,
  };
  return writeBedStudy(folder, 'cut', target, { only: ['prepare', 'sft'], steps: 150 + 3 * cutSeconds });
}

async function lastStep(home: string): Promise<number> {
  const [attempt] = await attemptsOf(home);
  if (attempt === undefined) return 0;
  const steps = (await entriesOf(home, '--kind', 'metric')).filter((entry) => entry['attempt'] === attempt);
  return Math.max(0, ...steps.map(({ step }) => Number(step)));
}

/** Of the job that trains. */
async function attemptsOf(home: string): Promise<string[]> {
  const started = await entriesOf(home, '--kind', 'decision').catch(() => []);
  return started.slice(1).map(({ attempt }) => String(attempt));
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
