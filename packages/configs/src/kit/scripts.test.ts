import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { studyText } from '../testing.ts';
import { sha256 } from './describe.ts';
import { gangText, kitOf, placeKit, standIn } from './testing.ts';

const programs = { 'bin/swift': standIn, 'bin/ray': standIn, 'bin/python': standIn };
const sftId = (files: Record<string, string>): string =>
  JSON.parse(files['kit.json'] ?? '').jobs.find((job: { name: string }) => job.name === 'sft/1').id;

describe('inputs.sh', () => {
  it('names everything that is missing, and the variable that would say where it is', () => {
    using kit = placeKit(kitOf(gangText));
    const { code, said } = kit.run('jobs/sft-1/inputs.sh');
    expect(code).toBe(1);
    expect(said).toContain('model is missing: there is no ../../models/base');
    expect(said).toContain('HER_MODEL_BASE=/path');
    expect(said).toContain("data.jsonl is missing: there is no /data/it's $HOME rows.jsonl");
    expect(kit.run('jobs/rl-1/inputs.sh').said).toContain('jobs/sft-1 has not been run to its end');
  });

  it('takes relative paths from the kit, from HER_STUDY_DIR, or each from its own variable', () => {
    using kit = placeKit(kitOf(gangText));
    kit.put('models/base/config.json', '{}');
    kit.put('else where/models/base/config.json', '{}');
    kit.put('rows.jsonl', '');
    const model = (): string => realpathSync(join(kit.root, 'jobs/sft-1/inputs/model'));
    const rows = { HER_DATA_ROWS: 'rows.jsonl' };
    expect(kit.run('jobs/sft-1/inputs.sh', rows)).toMatchObject({ code: 0, said: '' });
    expect(model()).toBe(join(kit.root, 'models/base'));
    expect(realpathSync(join(kit.root, 'jobs/sft-1/inputs/data.jsonl'))).toBe(join(kit.root, 'rows.jsonl'));
    const elsewhere = { ...rows, HER_STUDY_DIR: 'else where' };
    expect(kit.run('jobs/sft-1/inputs.sh', elsewhere).code).toBe(0);
    expect(model()).toBe(join(kit.root, 'else where/models/base'));
    expect(kit.run('jobs/sft-1/inputs.sh', { ...elsewhere, HER_MODEL_BASE: '/etc' }).code).toBe(0);
    expect(model()).toBe('/etc');
  });

  it('takes the checkpoint with the highest number, of the job of this very kit that has ended well', () => {
    const files = kitOf(gangText, { rewards: { 'rewards/mine.py': 'x = 1\n' } });
    using kit = placeKit(files);
    kit.put('prompts.parquet', '');
    for (const name of ['checkpoint-9', 'checkpoint-10', 'checkpoint-10-merged', 'checkpoint-x'])
      kit.put(`jobs/sft-1/out/${name}/config.json`, '{}');
    expect(kit.run('jobs/rl-1/inputs.sh').said).toContain('has not been run to its end');
    kit.put('jobs/sft-1/out/.done', 'another\n');
    expect(kit.run('jobs/rl-1/inputs.sh').code).toBe(1);
    kit.put('jobs/sft-1/out/.done', `${sftId(files)}\n`);
    expect(kit.run('jobs/rl-1/inputs.sh')).toMatchObject({ code: 0, said: '' });
    const model = join(kit.root, 'jobs/rl-1/inputs/model');
    expect(readlinkSync(model)).toBe('../../sft-1/out/checkpoint-10');
    expect(readFileSync(join(model, 'config.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(kit.root, 'jobs/rl-1/inputs/reward/mine.py'), 'utf8')).toBe('x = 1\n');
    const chosen = { HER_OUTPUT_SFT_1_MODEL: join(kit.root, 'jobs/sft-1/out/checkpoint-9') };
    expect(kit.run('jobs/rl-1/inputs.sh', chosen).code).toBe(0);
    expect(readlinkSync(model)).toBe(chosen.HER_OUTPUT_SFT_1_MODEL);
  });

  it('refuses a file or folder that has another hash than the study pins', () => {
    const rows = 'a row\n';
    const tree = sha256(`${sha256('{}')}  a-b/config.json\n${sha256('1')}  a/one\n`);
    const pinned = { path: (path: string) => (path === 'models/base' ? tree : sha256(rows)), code: String };
    using kit = placeKit(kitOf(gangText, {}, pinned));
    const env = { HER_DATA_ROWS: 'rows.jsonl' };
    kit.put('rows.jsonl', rows);
    kit.put('models/base/a/one', '1');
    kit.put('models/base/a-b/config.json', '{}');
    // As a plan hashes: folder by folder, so `a` comes before `a-b`.
    const order = sha256(`${sha256('1')}  a/one\n${sha256('{}')}  a-b/config.json\n`);
    expect(kit.run('jobs/sft-1/inputs.sh', env).said).toContain(`has the hash ${order}, not ${tree}`);
    expect(kit.run('jobs/sft-1/inputs.sh', { ...env, HER_SKIP_HASH: '1' }).code).toBe(0);
    kit.put('rows.jsonl', 'another row\n');
    expect(kit.run('jobs/sft-1/inputs.sh', env).said).toContain('data.jsonl is not the one');
  });
});

it('all scripts run with an exported CDPATH, a host name that is a path, and from the folder above', () => {
  using kit = placeKit({
    ...kitOf(gangText),
    ...programs,
    'jobs/sft-1/launch.sh': '#!/bin/bash\necho launched\n',
  });
  kit.put('models/base/config.json', '{}');
  kit.put('rows.jsonl', '');
  kit.put('elsewhere/sft-1/trap', '');
  const env = {
    CDPATH: `${join(kit.root, 'elsewhere')}:.`,
    HOSTNAME: 'a/b',
    HER_DATA_ROWS: join(kit.root, 'rows.jsonl'),
    NODE_RANK: '0',
  };
  // Started without a shell in between: one would keep its CDPATH to itself.
  const above = (script: string, ...args: string[]) => {
    const PATH = `${join(kit.root, 'bin')}:${process.env['PATH']}`;
    const about = { cwd: join(kit.root, 'jobs'), env: { PATH, ...env }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(script, args, about);
    return { code: status, out: stdout, said: stderr };
  };
  expect(above('sft-1/inputs.sh')).toEqual({ code: 0, said: '', out: '' });
  expect(above('sft-1/run.sh')).toEqual({ code: 0, said: '', out: 'launched\n' });
  kit.put('jobs/sft-1/out/checkpoint-3/state', '');
  expect(above('sft-1/run.sh', 'resume')).toMatchObject({ code: 0, said: '' });
  expect(readlinkSync(join(kit.root, 'jobs/sft-1/inputs/resume/checkpoint-3'))).toContain('out/checkpoint-3');
});

describe('run.sh, with stand-ins for the trainers', () => {
  it('runs a job once, and says how to go on or start over', () => {
    const files = kitOf(studyText);
    using kit = placeKit({ ...files, ...programs });
    const first = kit.run('jobs/prepare/run.sh');
    expect(first).toMatchObject({ code: 0, said: '' });
    expect(first.out).toContain('python -m her_workers.prepare prepare.json');
    const { id } = JSON.parse(files['kit.json'] ?? '').jobs[0];
    expect(readFileSync(join(kit.root, 'jobs/prepare/out/.done'), 'utf8')).toBe(`${id}\n`);
    const again = kit.run('jobs/prepare/run.sh');
    expect(again).toMatchObject({ code: 1, said: expect.stringContaining('Start over: move out/ away.') });
    expect(kit.run('jobs/prepare/run.sh', {}, ['resume']).said).toContain('this job starts over');
    kit.put('jobs/prepare/out/.job', 'other\n');
    expect(kit.run('jobs/prepare/run.sh').said).toContain('another version of this job (other)');
  });

  it('refuses another version of the trainer, unless told otherwise', () => {
    using kit = placeKit({ ...kitOf(studyText), ...programs, 'bin/python': '#!/bin/bash\necho 4.5.0\n' });
    expect(kit.run('jobs/prepare/run.sh').said).toContain('ms-swift is 4.5.0 here, the study is for 4.6.0');
    expect(kit.run('jobs/prepare/run.sh', { HER_ANY_VERSION: '1' }).code).toBe(0);
  });

  it('takes the environment that a variable names, and no other where that one is not there', () => {
    using kit = placeKit({ ...kitOf(studyText), 'mine/bin/python': standIn, 'mine/bin/swift': standIn });
    const found = kit.run('jobs/prepare/run.sh', { HER_SWIFT_ENV: 'mine' });
    expect(found).toMatchObject({ code: 0, said: '' });
    const env = { HER_SWIFT_ENV: 'nowhere', HER_ANY_VERSION: '1' };
    expect(kit.run('jobs/prepare/run.sh', env).said).toContain(
      'HER_SWIFT_ENV names nowhere, and there is no bin/python',
    );
  });

  it.each([
    ['sft-11', ['resume'], 'checkpoint-84', '--resume_from_checkpoint inputs/resume/checkpoint-84'],
    ['sft-11', ['resume', 'checkpoint-9', '--more'], 'checkpoint-9', 'inputs/resume/checkpoint-9 --more'],
    ['rl-11', ['resume'], 'global_step_8', 'trainer.resume_from_path=inputs/resume/global_step_8'],
  ])('%s %j goes on from %s', (job, args, checkpoint, words) => {
    using kit = placeKit({ ...kitOf(studyText), ...programs, [`jobs/${job}/inputs.sh`]: '#!/bin/bash\n' });
    const folder = `jobs/${job}/out/${job === 'rl-11' ? 'checkpoints/' : ''}`;
    expect(kit.run(`jobs/${job}/run.sh`, {}, args).said).toContain('there is no checkpoint');
    for (const name of ['checkpoint-9', 'checkpoint-84', 'global_step_4', 'global_step_8'])
      kit.put(`${folder}${name}/state`, name);
    kit.put(`jobs/${job}/out/metrics.jsonl`, 'second');
    kit.put(`jobs/${job}/out/metrics.jsonl.1`, 'first');
    const { code, out } = kit.run(`jobs/${job}/run.sh`, {}, args);
    expect(code).toBe(0);
    expect(out).toContain(words);
    // verl would write over it; ms-swift has no such file and appends to its own.
    const kept = job === 'rl-11' ? 'metrics.jsonl.2' : 'metrics.jsonl';
    expect(readFileSync(join(kit.root, 'jobs', job, 'out', kept), 'utf8')).toBe('second');
    expect(readFileSync(join(kit.root, 'jobs', job, 'inputs/resume', checkpoint, 'state'), 'utf8')).toBe(
      checkpoint,
    );
  });
});

describe('node-0.sh and node-1.sh, with stand-ins for swift, ray and python', () => {
  const nodes = (job: string, env: Record<string, string>) => {
    const files = { ...kitOf(gangText), ...programs };
    const kit = placeKit({ ...files, [`jobs/${job}/inputs.sh`]: '#!/bin/bash\n' });
    const outcome = [0, 1].map((rank) => kit.run(`jobs/${job}/node-${rank}.sh`, env));
    kit[Symbol.dispose]();
    return outcome;
  };

  it('tell ms-swift on each node which one it is and where the first is', () => {
    const [first, second] = nodes('sft-1', { MASTER_ADDR: '10.0.0.1' });
    const words = (rank: number) =>
      `swift sft sft.yaml NODE_RANK=${rank} MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 NNODES=2 NPROC=8 RAY=\n`;
    expect(first).toEqual({ code: 0, out: words(0), said: '' });
    expect(second).toEqual({ code: 0, out: words(1), said: '' });
  });

  it('make one Ray cluster: the first starts it and verl, the second joins', () => {
    const about = { MASTER_ADDR: '10.0.0.1', MASTER_PORT: '6400', RAY_AUTH_TOKEN: 'secret' };
    const [first, second] = nodes('rl-1', about);
    expect(first?.code).toBe(0);
    expect(first?.out).toMatch(/python -m verl\.trainer\.main_ppo .* NODE_RANK=0 .*RAY=10\.0\.0\.1:6400/);
    // Other clusters of the node are not ours to stop.
    expect(first?.out).not.toContain('ray stop');
    expect(second?.code).toBe(0);
    expect(second?.out).toContain('ray start --address=10.0.0.1:6400 --num-gpus=8');
    expect(second?.out).not.toContain('main_ppo');
  });

  it('ask for the address of the first node', () => {
    const [first] = nodes('sft-1', {});
    expect(first).toMatchObject({ code: 1, said: expect.stringContaining('the address of node 0') });
  });

  it('are what run.sh of such a job asks for', () => {
    using kit = placeKit({ ...kitOf(gangText), ...programs });
    expect(kit.run('jobs/sft-1/run.sh').said).toContain('run node-0.sh on the first node');
  });
});
