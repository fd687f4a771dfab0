import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidStudyError, loadStudy, studyJsonSchemaText } from '@her/configs';
import { expect, test, vi } from 'vitest';
import { installation } from '../home.ts';
import { type InitOptions, init, type Template } from './init.ts';

const fresh = (): Promise<string> => mkdtemp(join(tmpdir(), 'her-init-'));
const original = (name: string): Promise<string> => readFile(join(installation, 'studies', name), 'utf8');

async function said(template: Template, path: string, more: Partial<InitOptions> = {}): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await init(template, path, { force: false, json: false, ...more })).toBe(0);
    return write.mock.calls.map(([piece]) => String(piece)).join('');
  } finally {
    write.mockRestore();
  }
}

/** The codes of a study's mistakes, with no file of it there. */
function mistakes(text: string): string[] {
  try {
    loadStudy(text, 'study.yaml', { exists: () => false });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidStudyError)) throw error;
    return error.problems.map(({ code, place }) => `${place.key} ${code}`);
  }
}

test.each(['tiny', 'her'] as const)(
  '%s is a copy, byte for byte, with the schema that it names',
  async (name) => {
    const folder = await fresh();
    await said(name, folder);
    expect(await readFile(join(folder, `${name}.yaml`), 'utf8')).toBe(await original(`${name}.yaml`));
    expect(await readFile(join(folder, 'study.schema.json'), 'utf8')).toBe(studyJsonSchemaText());
  },
);

test('blank has no mistakes but paths to fill in, each marked', async () => {
  const folder = await fresh();
  const text = await said('blank', join(folder, 'new', 'folder'));
  const study = await readFile(join(folder, 'new', 'folder', 'study.yaml'), 'utf8');
  const missing = ['models.start.path', 'data.sft.path', 'data.prompts.path', 'stages.rl.reward.file'];
  expect(mistakes(study)).toEqual(missing.map((key) => `${key} STUDY_MISSING_FILE`));
  expect(study.split('\n').filter((line) => line.includes('path: ./') && !line.includes('# HERE'))).toEqual(
    [],
  );
  expect(loadStudy(study, 'study.yaml', { exists: () => true }).study.name).toBe('study');
  expect(text).toMatch(/fill in \d+ places marked HERE\nnext {4}her plan .*study\.yaml\n$/);
});

test('blank is called as its file is, where a study can be called so', async () => {
  const folder = await fresh();
  await said('blank', join(folder, 'mine.yaml'));
  await said('blank', join(folder, 'My Study.yaml'));
  expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).toContain('\nname: mine\n');
  expect(await readFile(join(folder, 'My Study.yaml'), 'utf8')).toContain('\nname: blank');
});

test('nothing is written over, not even through a link, unless --force', async () => {
  const folder = await fresh();
  const file = join(folder, 'tiny.yaml');
  await writeFile(file, 'mine');
  await symlink(join(folder, 'elsewhere'), join(folder, 'link.yaml'));
  for (const path of [folder, file, join(folder, 'link.yaml')])
    await expect(said('tiny', path)).rejects.toMatchObject({ code: 'FILE_TAKEN', exitCode: 2 });
  expect(await readFile(file, 'utf8')).toBe('mine');
  await said('tiny', file, { force: true });
  expect(await readFile(file, 'utf8')).toBe(await original('tiny.yaml'));
});

test('a schema that is there stays, and that is said', async () => {
  const folder = await fresh();
  await said('tiny', folder);
  expect(await said('her', folder)).toContain('study.schema.json  there already');
  await writeFile(join(folder, 'study.schema.json'), '{}');
  expect(await said('blank', folder)).toContain('study.schema.json  is another one and stays');
  expect(await readFile(join(folder, 'study.schema.json'), 'utf8')).toBe('{}');
});

test('--json says what was written and the next step', async () => {
  const folder = await fresh();
  expect(JSON.parse(await said('tiny', folder, { json: true }))).toEqual({
    template: 'tiny',
    study: join(folder, 'tiny.yaml'),
    schema: join(folder, 'study.schema.json'),
    schemaIs: 'written',
    next: `her run ${join(folder, 'tiny.yaml')}`,
  });
});

test('what cannot be written is an error with its cause', async () => {
  const folder = await fresh();
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'taken.yaml'));
  const refused = { code: 'FILE_UNWRITABLE', exitCode: 5, cause: expect.any(Error) };
  await expect(said('tiny', join(folder, 'file', 'below'))).rejects.toMatchObject(refused);
  await expect(said('tiny', join(folder, 'taken.yaml'), { force: true })).rejects.toMatchObject(refused);
});

test('nothing is left where one of the two cannot be written, and FILE_TAKEN is told before anything is', async () => {
  const folder = await fresh();
  await mkdir(join(folder, 'study.schema.json'));
  for (const force of [false, true]) {
    const refused = { code: 'FILE_UNWRITABLE', message: expect.stringContaining('it is a folder') };
    await expect(said('tiny', folder, { force })).rejects.toMatchObject(refused);
  }
  expect(await readdir(folder)).toEqual(['study.schema.json']);
  const other = await fresh();
  execFileSync('mkfifo', [join(other, 'study.schema.json')]);
  await expect(said('tiny', other)).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
  expect(await readdir(other)).toEqual(['study.schema.json']);
});

test('a place where no folder can be made is an error at once, which says why', async () => {
  const error = {
    code: 'FILE_UNWRITABLE',
    message: expect.stringContaining('no folder can be made in /proc'),
  };
  await expect(said('tiny', '/proc/x')).rejects.toMatchObject(error);
  await expect(said('tiny', '/proc/x/y/z.yaml')).rejects.toMatchObject(error);
});

test('a full or read-only disk is told as one, and has nothing of it then', async ({ skip }) => {
  const disk = await fresh();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch {
    const why = 'a small file system cannot be mounted here (it takes root)';
    if (process.env['CI']) throw new Error(why);
    return skip(why);
  }
  try {
    await expect(said('tiny', join(disk, 'new', 'one'))).rejects.toMatchObject({
      code: 'DISK_FULL',
      exitCode: 5,
    });
    expect(await readdir(disk)).toEqual([]);
    await writeFile(join(disk, 'tiny.yaml'), 'mine');
    await expect(said('tiny', disk, { force: true })).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(await readdir(disk)).toEqual(['tiny.yaml']);
    expect(await readFile(join(disk, 'tiny.yaml'), 'utf8')).toBe('mine');
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    for (const path of [join(disk, 'new', 'one'), join(disk, 'other.yaml')])
      await expect(said('tiny', path)).rejects.toMatchObject({
        code: 'FILE_UNWRITABLE',
        message: expect.stringContaining('the file system is read-only'),
      });
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('--force writes over what a link leads to', async () => {
  const folder = await fresh();
  await writeFile(join(folder, 'real.yaml'), 'mine');
  await symlink('real.yaml', join(folder, 'tiny.yaml'));
  await said('tiny', folder, { force: true });
  expect(await readFile(join(folder, 'real.yaml'), 'utf8')).toBe(await original('tiny.yaml'));
  expect((await readdir(folder)).sort()).toEqual(['real.yaml', 'study.schema.json', 'tiny.yaml']);
});
