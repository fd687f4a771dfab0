import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout, freshHome, her } from './support/her.ts';

/** What a study would do and cost, and a study from a launch script, as a person sees them. Nothing is started. */
const preset = join('studies', 'her.yaml');

test('her plan of the HER study answers within a second', async () => {
  await her('/nonexistent', ['plan', preset]);
  const times: number[] = [];
  let said = '';
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    const plan = await her('/nonexistent', ['plan', preset]);
    times.push(performance.now() - started);
    expect(plan.exitCode, String(plan.stderr)).toBe(0);
    said = String(plan.stdout);
  }
  times.sort((a, b) => a - b);
  expect(times[0], `milliseconds: ${times.map(Math.round).join(', ')}`).toBeLessThan(1000);
  for (const part of [
    'base_model: Which checkpoint does the study start from?',
    'roleplay_sft/no-system-thinking',
    'roleplay_rl/dapo',
    'each GPU, at its fullest',
    'GPU-hours',
    'disk at most',
    'data_seed',
    'unseeded',
    'deviates from the paper: models.base.path',
  ])
    expect(said).toContain(part);
});

test.each([
  ['nodes-2', '2 nodes'],
  ['nodes-8', '8 nodes'],
])('her plan --target %s takes another target of the study', async (target, nodes) => {
  const plan = await her('/nonexistent', ['plan', preset, '--target', target]);
  expect(plan.exitCode).toBe(0);
  expect(plan.stdout).toContain(`${target}: ssh, ${nodes}`);
  expect(plan.stdout).not.toContain('out of memory');
});

test('her plan --json holds jobs, seeds, costs and questions', async () => {
  const { stdout } = await her('/nonexistent', ['plan', preset, '--json']);
  const plan = JSON.parse(String(stdout));
  expect(plan.jobs).toHaveLength(18);
  expect(plan.questions.map(({ name }: { name: string }) => name)).toContain('base_model');
  for (const job of plan.jobs) {
    expect(job.id).toMatch(/^[0-9a-f]{16}$/);
    expect(job.cost.memory.value.judgement.verdict).toBe('fits');
    expect(job.seeds.length).toBeGreaterThan(2);
  }
});

test('her plan --origins says of each setting where it comes from', async () => {
  const { stdout } = await her('/nonexistent', ['plan', preset, '--origins']);
  const lines = String(stdout).split('\n');
  const of = (setting: string): string => lines.find((line) => line.startsWith(`${setting} `)) ?? '';
  expect(of('num_train_epochs')).toMatch(/ 4 +repo +DATA_PIPELINE/);
  expect(of('learning_rate')).toContain('framework-default');
  expect(of('tuner_type')).toContain('her ');
});

test('her run starts nothing while a question has no answer, nor where its hosts are not found', async () => {
  const home = await freshHome();
  const undecided = await her(home, ['run', preset]);
  expect(undecided.exitCode).toBe(2);
  expect(undecided.stderr).toContain('base_model: Which checkpoint');
  expect(undecided.stderr).toContain('[STUDY_UNDECIDED]');
  const text = await readFile(join(checkout, preset), 'utf8');
  const answered = text.replaceAll(/^( {4})settles:/gm, '$1answer: as written\n$1settles:');
  const file = join(home, 'answered.yaml');
  await writeFile(file, answered);
  const run = await her(home, ['run', file]);
  expect(run.exitCode).toBe(5);
  for (const host of ['gpu-1', 'gpu-4']) expect(run.stderr).toContain(`${host} cannot be reached`);
  expect(run.stderr).toContain('[NODE_UNFIT]');
  const entries = await her(home, ['ledger', 'show']);
  expect(String(entries.stdout)).toContain('study.registered');
  expect(String(entries.stdout)).not.toContain('"decision"');
});

test('her import turns a script into a study that can be planned, and lists what it left out by line', async () => {
  const home = await freshHome();
  const script = join(home, 'run.sh');
  await writeFile(
    script,
    [
      '#!/bin/bash',
      `touch ${join(home, 'it-ran')}`,
      `lr=\${LR:-1e-5}`,
      'export NPROC_PER_NODE=8',
      'swift sft \\',
      '  --model Qwen/Qwen3-8B --train_type full \\',
      '  --dataset rows.jsonl \\',
      '  --deepspeed zero3 --max_length 4096 --learning_rate $lr \\',
      '  --no_such_option 1',
    ].join('\n'),
  );
  const out = join(home, 'study.yaml');
  const imported = await her(home, ['import', script, '--set', 'LR=2e-5', '--out', out]);
  expect(imported.exitCode, String(imported.stderr)).toBe(0);
  expect(imported.stdout).toMatch(/run\.sh:9 +gone +--no_such_option/);
  expect(imported.stdout).toMatch(/run\.sh:6 +renamed +--train_type/);
  expect(imported.stdout).toContain(`her plan ${out}`);
  expect(existsSync(join(home, 'it-ran'))).toBe(false);
  expect(await readFile(out, 'utf8')).toContain('learning_rate: 0.00002');
  const plan = await her(home, ['plan', out]);
  expect(plan.exitCode, String(plan.stderr)).toBe(0);
  expect(plan.stdout).toContain('1 × 8 GPUs');
  const again = await her(home, ['import', script, '--out', out]);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain('[FILE_TAKEN]');
});

test('her import of what launches no training is one line, with its place', async () => {
  const home = await freshHome();
  const script = join(home, 'none.sh');
  await writeFile(script, 'echo hello\n');
  const said = await her(home, ['import', script]);
  expect(said.exitCode).toBe(2);
  expect(said.stderr).toContain('none.sh:');
  expect(said.stderr).toContain('[IMPORT_FAILED]');
});
