import { readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkout, entriesOf, freshHome, her, until } from './support/her.ts';
import { watchMemory } from './support/memory.ts';
import { trainersUnder } from './support/processes.ts';

/**
 * The README's study with the real trainers, once, by the command a person types. On the way `her` is killed with -9,
 * and interrupted with Ctrl-C: neither may be seen in what is recorded at the end.
 */
const minutes = 60_000;
const study = join(checkout, 'studies', 'tiny.yaml');
let home = '';
let took = 0;
let peakGb = 0;
let toExec = 0;
let last: { exitCode?: number | undefined; stdout: string } = { stdout: '' };

type Score = { metric: string; of: string; seed: number; value: number; n: number };
type Entry = Record<string, unknown> & { job: string; attempt: string };

beforeAll(async () => {
  home = await freshHome();
  const memory = watchMemory();
  const started = Date.now();

  const first = her(home, ['run', study]);
  await until('a step of the SFT', 240, async () =>
    (await entriesOf(home, '--job', 'sft', '--kind', 'metric').catch(() => [])).length > 3 ? true : undefined,
  );
  const events = await entriesOf(home, '--kind', 'event');
  toExec = Date.parse(String(events.find(({ type }) => type === 'started')?.['at'])) - started;
  first.kill('SIGKILL');
  await first;
  expect(trainersUnder(home).length).toBeGreaterThan(0);

  const second = her(home, ['run', study]);
  await until('a step of the RL', 480, async () =>
    (await entriesOf(home, '--job', 'rl', '--kind', 'metric')).length > 0 ? true : undefined,
  );
  second.kill('SIGINT');
  const detached = await second;
  expect(detached.exitCode).toBe(130);
  expect(detached.stdout).toContain('her run');
  expect(trainersUnder(home).length).toBeGreaterThan(0);

  const third = await her(home, ['run', study]);
  last = { exitCode: third.exitCode, stdout: String(third.stdout) };
  took = Date.now() - started;
  memory.stop();
  peakGb = memory.peakGb();
  process.stdout.write(
    `the tiny study: ${Math.round(took / 1000)} s, ${peakGb.toFixed(1)} GB at the peak\n${last.stdout}\n`,
  );
}, 20 * minutes);

afterAll(() => {
  expect(trainersUnder(home)).toEqual([]);
});

async function named(job: string, kind: string): Promise<Entry[]> {
  return (await entriesOf(home, '--job', job, '--kind', kind)) as Entry[];
}

async function scores(): Promise<Score[]> {
  return (await entriesOf(home, '--kind', 'score')) as unknown as Score[];
}

function score(all: readonly Score[], metric: string, of: string, seed: number): number {
  const found = all.find((one) => one.metric === metric && one.of === of && one.seed === seed);
  if (found === undefined) throw new Error(`no ${metric} of ${of}, seed ${seed}`);
  return found.value;
}

test('every job is done, within 12 minutes and 12 GB', () => {
  expect(last.exitCode).toBe(0);
  expect(last.stdout).toContain('7 of 7 jobs done');
  expect(took).toBeLessThan(12 * minutes);
  expect(peakGb).toBeLessThan(12);
});

test('from the command to the exec of the first trainer it takes at most 3 seconds', () => {
  expect(toExec).toBeGreaterThan(0);
  expect(toExec).toBeLessThan(3000);
});

test('each job was started once, in spite of the kill and the interruption', async () => {
  const decisions = (await entriesOf(home, '--kind', 'decision')) as Entry[];
  expect(decisions.filter(({ action }) => action === 'start')).toHaveLength(7);
  expect(decisions.filter(({ action }) => action !== 'start')).toEqual([]);
});

describe.each([11, 23])('seed %i', (seed) => {
  test('the start model writes nothing well formed; SFT raises that, and RL raises it again', async () => {
    const all = await scores();
    expect(score(all, 'well_formed', 'start', seed)).toBe(0);
    expect(score(all, 'well_formed', 'sft', seed)).toBeGreaterThan(0.05);
    expect(score(all, 'well_formed', 'rl', seed)).toBeGreaterThan(
      score(all, 'well_formed', 'sft', seed) + 0.1,
    );
    expect(score(all, 'heldout_loss', 'sft', seed)).toBeLessThan(
      score(all, 'heldout_loss', 'start', seed) - 3,
    );
    expect(score(all, 'reward', 'rl', seed)).toBeGreaterThan(score(all, 'reward', 'sft', seed));
  });

  test('every step of the RL has reward, KL, entropy, lengths and clip fraction in the ledger', async () => {
    const steps = await named(`rl/${seed}`, 'metric');
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    const names = [
      'critic/score/mean',
      'actor/ppo_kl',
      'actor/entropy',
      'response_length/mean',
      'actor/pg_clipfrac',
    ];
    for (const { values } of steps)
      for (const name of names) expect(values).toHaveProperty([name], expect.any(Number));
  });

  test('every step of the SFT is there once', async () => {
    const steps = await named(`sft/${seed}`, 'metric');
    const trained = steps.filter(({ values }) => 'loss' in (values as object)).map(({ step }) => step);
    expect(trained).toEqual(Array.from({ length: trained.length }, (_, i) => i + 1));
    expect(trained.length).toBeGreaterThan(100);
  });
});

test('the two seeds of the SFT train differently', async () => {
  const losses = async (seed: number) =>
    (await named(`sft/${seed}`, 'metric')).map(({ values }) => (values as { loss?: number }).loss);
  expect(await losses(11)).not.toEqual(await losses(23));
  const [model11] = await named('sft/11', 'artifact');
  const [model23] = await named('sft/23', 'artifact');
  expect(model11?.['digest']).not.toBe(model23?.['digest']);
});

test('every effective seed was read back from its trainer as planned; RL is called seeded and says why', async () => {
  const audit = await her(home, ['audit', 'seeds', '--json']);
  expect(audit.exitCode).toBe(0);
  const { findings, jobs } = JSON.parse(String(audit.stdout));
  const effective = findings.filter((one: { effect: string }) => one.effect === 'effective');
  expect(effective.length).toBeGreaterThanOrEqual(12);
  for (const one of effective) expect(one).toMatchObject({ status: 'applied' });
  expect(findings.filter((one: { status: string }) => one.status === 'unseeded').length).toBeGreaterThan(0);
  const rl = jobs.find((one: { job: string }) => one.job === 'rl/11');
  expect(rl).toMatchObject({ level: 'seeded', why: expect.stringContaining('order in which they finish') });
  expect(jobs.find((one: { job: string }) => one.job === 'sft/11')).toMatchObject({ level: 'bitwise' });
});

test('the ledger verifies, and one changed byte in a copy of it is found', async () => {
  const report = await her(home, ['ledger', 'verify', '--json']);
  expect(report.exitCode).toBe(0);
  expect(JSON.parse(String(report.stdout))).toMatchObject({ ok: true });

  const copy = await freshHome();
  await cp(join(home, 'studies', 'tiny', 'ledger'), join(copy, 'studies', 'tiny', 'ledger'), {
    recursive: true,
  });
  const segment = join(copy, 'studies', 'tiny', 'ledger', 'segments', '000000000.jsonl');
  const bytes = readFileSync(segment);
  const digit = bytes.indexOf('"loss":') + '"loss":'.length;
  bytes[digit] = bytes[digit] === 0x39 ? 0x38 : 0x39;
  writeFileSync(segment, bytes);
  const altered = await her(copy, ['ledger', 'verify', '--json']);
  expect(altered.exitCode).toBe(6);
  const line = bytes.subarray(0, digit).toString('latin1').split('\n').length;
  const found = JSON.parse(String(altered.stdout)).findings;
  expect(found).toContainEqual(expect.objectContaining({ severity: 'error', entry: line - 1, line }));
});

test('a second run finds everything done and says so within 2 seconds', async () => {
  const started = Date.now();
  const again = await her(home, ['run', study]);
  expect(Date.now() - started).toBeLessThan(2000);
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain('7 of 7 jobs done');
});

test('logs are the bytes that the trainer wrote, from any offset', async () => {
  const [ended] = await named('sft/11', 'attempt.ended');
  const log = readFileSync(
    join(home, 'studies', 'tiny', 'node', 'attempts', ended?.attempt ?? '', 'logs', 'rank-0.log'),
  );
  const shown = await her(home, ['logs', 'sft/11'], { encoding: 'buffer', stripFinalNewline: false });
  expect(Buffer.compare(Buffer.from(shown.stdout as Uint8Array), log)).toBe(0);
  const tail = await her(home, ['logs', 'sft/11', '--from', String(log.length - 100)], {
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  expect(Buffer.compare(Buffer.from(tail.stdout as Uint8Array), log.subarray(-100))).toBe(0);
});
