import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
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
  const missing = ['models.start.path', 'data.sft.path', 'data.prompts.path'];
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
