import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { checkout, freshHome, her } from './support/her.ts';
import { writeSmallStudy } from './support/small-study.ts';

/**
 * A kit is run by its own scripts with the real ms-swift on PATH, in an environment without `her`, as somebody does
 * who was sent the folder.
 */
const seconds = 1000;
const steps = 6;
let folder = '';
let study = '';
let kit = '';

beforeAll(async () => {
  folder = await freshHome();
  study = await writeSmallStudy(folder, 'by-hand', { sft: { epochs: undefined, steps, save_every: 3 } });
  kit = join(folder, 'kit');
  const said = await her(folder, ['render', study, '--out', kit]);
  expect(said.exitCode, String(said.stderr)).toBe(0);
  expect(said.stdout).toContain(`next    read ${kit}/README.md`);
});

/** A script of the kit, with the trainer's environment on PATH and nothing else of ours. */
function script(path: string, python: string, args: string[] = []) {
  const env = { PATH: `${dirname(python)}:/usr/bin:/bin`, HOME: folder };
  return execa(join(kit, path), args, { cwd: folder, env, extendEnv: false, reject: false, all: true });
}

test('rendered twice, and over itself, it has the same bytes', async () => {
  const other = join(folder, 'other');
  expect((await her(folder, ['render', study, '--out', other])).exitCode).toBe(0);
  const again = await her(folder, ['render', study, '--out', kit, '--json']);
  expect(JSON.parse(String(again.stdout))).toMatchObject({ replaced: true, questions: [], unpinned: [] });
  expect(execFileSync('diff', ['-r', kit, other], { encoding: 'utf8' })).toBe('');
  for (const place of [checkout, folder])
    expect(await execa('grep', ['-rF', place, kit], { reject: false })).toMatchObject({
      exitCode: 1,
      stdout: '',
    });
});

test('prepare and sft run by the scripts alone and leave a checkpoint', { timeout: 300 * seconds }, async ({
  skip,
}) => {
  const python = process.env['HER_SWIFT_PYTHON'];
  if (python === undefined) {
    const why = 'HER_SWIFT_PYTHON names no Python with ms-swift (pnpm test sets it)';
    if (process.env['CI']) throw new Error(why);
    return skip(why);
  }
  const early = await script('jobs/sft-11/run.sh', python);
  expect(early.exitCode).toBe(1);
  expect(early.all).toContain('jobs/prepare has not been run to its end');
  const started = Date.now();
  for (const job of ['prepare', 'sft-11']) {
    const ran = await script(`jobs/${job}/run.sh`, python);
    expect(ran.exitCode, ran.all).toBe(0);
  }
  process.stdout.write(`the kit's prepare and sft: ${Math.round((Date.now() - started) / 1000)} s\n`);
  const out = join(kit, 'jobs/sft-11/out');
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['checkpoint-3', 'checkpoint-6', '.done']));
  expect(existsSync(join(out, 'checkpoint-6/model.safetensors'))).toBe(true);
  const { global_step: at } = JSON.parse(readFileSync(join(out, 'checkpoint-6/trainer_state.json'), 'utf8'));
  expect(at).toBe(steps);
  // The stage of ours that ran is the kit's, not the one that this checkout has in the trainer's environment.
  expect(existsSync(join(kit, 'workers/python/src/her_workers/prepare/__pycache__'))).toBe(true);

  const again = await script('jobs/sft-11/run.sh', python);
  expect(again.all).toContain('Go on: run.sh resume');
  // What the jobs wrote stays when the kit is rendered again.
  expect((await her(folder, ['render', study, '--out', kit])).exitCode).toBe(0);
  expect(existsSync(join(out, 'checkpoint-6/model.safetensors'))).toBe(true);
});

test('her diff: 0 for a study and its kit, 9 with the setting where they differ', async () => {
  const same = await her(folder, ['diff', study, kit]);
  expect(same).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('do the same') });
  const other = join(folder, 'other.yaml');
  writeFileSync(other, readFileSync(study, 'utf8').replace('learning_rate: 0.004', 'learning_rate: 0.002'));
  const differ = await her(folder, ['diff', kit, other]);
  expect(differ.exitCode).toBe(9);
  expect(differ.stdout).toContain('sft/11: learning_rate: 0.004 → 0.002  (user)');
  const json = await her(folder, ['diff', kit, other, '--json']);
  expect(JSON.parse(String(json.stdout))).toMatchObject({ same: false, groups: [{ names: ['sft/11'] }] });
  const script = join(kit, 'jobs/sft-11/sft.yaml');
  const before = readFileSync(script, 'utf8');
  writeFileSync(script, `${before}max_steps: 1\n`);
  const edited = await her(folder, ['diff', study, kit]);
  expect(edited.exitCode).toBe(9);
  expect(edited.stdout).toContain(`changed by hand in ${kit}, and not compared: jobs/sft-11/sft.yaml`);
  const refused = await her(folder, ['render', other, '--out', kit]);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[KIT_EDITED]') });
  writeFileSync(script, before);
  // What another version of a job wrote is pointed out: its `run.sh` would refuse it.
  mkdirSync(join(kit, 'jobs/sft-11/out'), { recursive: true });
  writeFileSync(join(kit, 'jobs/sft-11/out/.job'), 'of another version\n');
  const replaced = await her(folder, ['render', other, '--out', kit]);
  expect(replaced.stdout).toContain('jobs/sft-11/out is of another version of that job');
  const taken = await her(folder, ['render', study, '--out', folder]);
  expect(taken).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[KIT_FOLDER_TAKEN]') });
  const wrong = await her(folder, ['diff', kit, folder]);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[KIT_UNREADABLE]') });
});
