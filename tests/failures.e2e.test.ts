import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf, freshHome, her, until } from './support/her.ts';
import { agentsUnder, trainersUnder } from './support/processes.ts';
import { writeSmallStudy } from './support/small-study.ts';

/** What goes wrong, with the real trainer: one clear message, an exit code that is not 0, a ledger that verifies. */
const minutes = 60_000;
const root = process.getuid?.() === 0;
let home = '';

beforeAll(async () => {
  home = await freshHome();
});

afterAll(() => {
  expect(trainersUnder(home)).toEqual([]);
});

async function expectVerified(study: string): Promise<void> {
  const report = await her(home, ['ledger', 'verify', '--study', study]);
  expect(report.exitCode, String(report.stdout)).toBe(0);
}

async function endings(study: string): Promise<Record<string, unknown>[]> {
  return entriesOf(home, '--study', study, '--job', 'sft', '--kind', 'attempt.ended');
}

test('a study with mistakes names all of them, and starts nothing', async () => {
  const nowhere = join(home, 'nowhere');
  const file = await writeSmallStudy(home, 'wrong', {
    sft: { max_lenght: 512, epochs: 'two', model: 'sft' },
    models: { other: { path: './missing', type: 'qwen3', template: 'qwen3_nothinking' } },
  });
  const run = await her(nowhere, ['run', file]);
  expect(run.exitCode).toBe(2);
  const lines = String(run.stderr).split('\n');
  for (const code of ['STUDY_UNKNOWN_KEY', 'STUDY_WRONG_TYPE', 'STUDY_MISSING_FILE', 'STUDY_CYCLE']) {
    expect(
      lines.filter((line) => line.includes(code)),
      String(run.stderr),
    ).toHaveLength(1);
  }
  expect(run.stderr).toContain('Did you mean `max_length`?');
  expect(lines.filter((line) => /wrong\.yaml:\d+:\d+ {2}/.test(line))).toHaveLength(4);
  expect(existsSync(nowhere)).toBe(false);
});

test(
  'rows that are dropped are counted by the trainer itself: too many end the run before its first step',
  async () => {
    const shorter = { max_length: 200, epochs: undefined, steps: 2 };
    const file = await writeSmallStudy(home, 'rows', { sft: { ...shorter, overlong: { delete: 5 } } });
    const run = await her(home, ['run', file]);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain('dropped more rows than the study allows');
    expect(await endings('rows')).toMatchObject([{ class: 'data', policy: 'stop', lastStep: null }]);
    const dropped = /her: (\d+) of 1000 rows were dropped/.exec(
      String((await her(home, ['logs', 'sft/11', '--study', 'rows'])).stdout),
    );
    const many = Number(dropped?.[1]);
    expect(many).toBeGreaterThan(5);
    const allowed = await writeSmallStudy(home, 'rows', { sft: { ...shorter, overlong: { delete: many } } });
    expect((await her(home, ['run', allowed])).exitCode).toBe(0);
    await expectVerified('rows');
  },
  4 * minutes,
);

test(
  'a trainer that makes no first step in time is ended, and not tried again',
  async () => {
    const file = await writeSmallStudy(home, 'hang', { sft: { limits: { first_step: 4, grace: 5 } } });
    const run = await her(home, ['run', file]);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain('made no first step in time');
    expect(await endings('hang')).toMatchObject([{ reason: 'hang', policy: 'stop', lastStep: null }]);
    await expectVerified('hang');
  },
  2 * minutes,
);

test(
  'a trainer that exits with 1 before its first step is not tried again, and its last lines are kept',
  async () => {
    const broken = join(home, 'broken-model');
    await mkdir(broken, { recursive: true });
    await writeFile(join(broken, 'config.json'), '{}');
    const file = await writeSmallStudy(home, 'exit', {
      sft: { model: 'broken' },
      models: { broken: { path: './broken-model', type: 'qwen3', template: 'qwen3_nothinking' } },
    });
    const run = await her(home, ['run', file]);
    expect(run.exitCode).toBe(3);
    expect(run.stdout).toContain('her logs sft/11');
    expect(await endings('exit')).toMatchObject([
      { code: 1, reason: 'exited', policy: 'stop', tailBlob: expect.any(String) },
    ]);
    await expectVerified('exit');
  },
  2 * minutes,
);

test(
  'a killed agent: its trainer is ended, the attempt is called lost; lifted, it starts anew; stopped, it stays',
  async () => {
    const file = await writeSmallStudy(home, 'agent');
    const run = her(home, ['run', file, '--retries', '0']);
    await until('a running SFT', 120, async () => {
      const steps = await entriesOf(home, '--study', 'agent', '--job', 'sft', '--kind', 'metric').catch(
        () => [],
      );
      return steps.length > 0 ? true : undefined;
    });
    const agents = agentsUnder(join(home, 'studies', 'agent'));
    expect(agents.length).toBe(1);
    for (const { pid } of agents) process.kill(pid, 'SIGKILL');
    const ended = await run;
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('is gone without an exit record');
    expect(trainersUnder(join(home, 'studies', 'agent'))).toEqual([]);
    expect(await endings('agent')).toMatchObject([{ reason: 'agent-lost', class: 'infrastructure' }]);
    await expectVerified('agent');

    expect((await her(home, ['resume', 'sft/11', '--study', 'agent'])).exitCode).toBe(0);
    const again = her(home, ['run', file, '--retries', '0']);
    await until('a second attempt', 60, async () =>
      trainersUnder(join(home, 'studies', 'agent')).length > 0 ? true : undefined,
    );
    const stopped = await her(home, ['stop', '--study', 'agent', '--reason', 'seen enough']);
    expect(stopped.exitCode).toBe(0);
    expect((await again).exitCode).toBe(4);
    expect(await endings('agent')).toMatchObject([
      { reason: 'agent-lost' },
      { reason: 'stopped', class: 'stopped' },
    ]);
    expect((await her(home, ['run', file])).exitCode).toBe(4);
    await expectVerified('agent');
  },
  5 * minutes,
);

test.skipIf(!root && !process.env['CI'])(
  'a full disk under the trainer stops it with that as the cause (needs root: mounts a tmpfs)',
  async () => {
    const file = await writeSmallStudy(home, 'full', { sft: { save_every: 5 } });
    const node = join(home, 'studies', 'full', 'node');
    await mkdir(node, { recursive: true });
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', node]);
    try {
      const run = await her(home, ['run', file]);
      expect(run.exitCode).toBe(3);
      expect(run.stderr).toContain('the disk of the node is full');
      expect(await endings('full')).toMatchObject([{ class: 'resource', policy: 'stop' }]);
      await expectVerified('full');
    } finally {
      await execa('umount', [node]);
    }
  },
  3 * minutes,
);

test.skipIf(!root && !process.env['CI'])(
  'a full disk under the ledger: her says so and lets go, the trainer goes on (needs root)',
  async () => {
    const file = await writeSmallStudy(home, 'ledger-full');
    const ledger = join(home, 'studies', 'ledger-full', 'ledger');
    await mkdir(ledger, { recursive: true });
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', ledger]);
    try {
      const run = her(home, ['run', file]);
      await until('a running SFT', 120, async () =>
        trainersUnder(join(home, 'studies', 'ledger-full')).some(({ command }) =>
          command.some((word) => word.endsWith('sft.py')),
        )
          ? true
          : undefined,
      );
      await writeFile(join(ledger, 'filler'), Buffer.alloc(2_000_000)).catch(() => undefined);
      const ended = await run;
      expect(ended.exitCode).toBe(6);
      expect(ended.stderr).toContain('LEDGER_DISK_FULL');
      expect(trainersUnder(join(home, 'studies', 'ledger-full')).length).toBeGreaterThan(0);
      await execa('rm', [join(ledger, 'filler')]);
      expect((await her(home, ['stop', '--study', 'ledger-full'])).exitCode).toBe(0);
      await expectVerified('ledger-full');
    } finally {
      await execa('umount', [ledger]);
    }
  },
  4 * minutes,
);
