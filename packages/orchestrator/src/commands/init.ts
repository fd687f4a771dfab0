import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { studyJsonSchemaText } from '@her/configs';
import { HerError } from '../errors.ts';
import { absolute, callerDirectory, folderOf, installation } from '../home.ts';
import { oneLine } from '../views/words.ts';

export type Template = 'blank' | 'tiny' | 'her';
export type InitOptions = { force: boolean; json: boolean };

const schemaName = 'study.schema.json';

/**
 * `her init`: a study to start from, and the schema beside it. Beside it and not a path into this installation: the
 * study can then be moved, committed and read on another machine, and goes on to be completed there.
 */
export async function init(template: Template, path: string, { force, json }: InitOptions): Promise<number> {
  const shown = /\.ya?ml$/.test(path)
    ? path
    : join(path, `${template === 'blank' ? 'study' : template}.yaml`);
  const file = absolute(shown, callerDirectory());
  const text = await readFile(join(installation, 'studies', `${template}.yaml`), 'utf8');
  const study = template === 'blank' ? namedAfter(file, text) : text;
  await makeFolder(folderOf(file), path);
  await write(file, study, { force, shown });
  const schema = await writeSchema(join(folderOf(file), schemaName), force);
  const next = nextSteps[template](shown);
  if (json) {
    process.stdout.write(`${JSON.stringify({ template, study: file, ...schema, next })}\n`);
    return 0;
  }
  const places = study.split('\n').filter((line) => line.includes('# HERE')).length;
  const lines = [
    `${shown}  written`,
    `${join(folderOf(shown), schemaName)}  ${schemaWords[schema.schemaIs]}`,
    '',
    ...(places === 0 ? [] : [`fill in ${places} places marked HERE`]),
    `next    ${next}`,
  ];
  process.stdout.write(`${lines.map(oneLine).join('\n')}\n`);
  return 0;
}

const nextSteps: Record<Template, (file: string) => string> = {
  blank: (file) => `her plan ${file}`,
  tiny: (file) => `her run ${file}`,
  her: (file) => `her plan ${file} --origins`,
};

const schemaWords = {
  written: 'written',
  same: 'there already',
  other: 'is another one and stays; --force writes over both',
} as const;

/** A study is called as its file is, so that commands know it by either. */
function namedAfter(file: string, text: string): string {
  const stem = basename(file).replace(/\.ya?ml$/, '');
  return /^[a-z][a-z0-9_-]{0,30}$/.test(stem) ? text.replace(/^name: .*$/m, `name: ${stem}`) : text;
}

async function writeSchema(
  file: string,
  force: boolean,
): Promise<{ schema: string; schemaIs: keyof typeof schemaWords }> {
  const text = studyJsonSchemaText();
  const there = await readFile(file, 'utf8').catch(() => undefined);
  if (there !== undefined && !force) return { schema: file, schemaIs: there === text ? 'same' : 'other' };
  await write(file, text, { force, shown: file });
  return { schema: file, schemaIs: 'written' };
}

async function write(
  file: string,
  text: string,
  { force, shown }: { force: boolean; shown: string },
): Promise<void> {
  await writeFile(file, text, { flag: force ? 'w' : 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw new HerError('FILE_TAKEN', `${shown} is there already`, { cause });
    throw unwritable(shown, cause);
  });
}

async function makeFolder(folder: string, shown: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(shown, cause);
  });
}

function unwritable(shown: string, cause: NodeJS.ErrnoException): HerError {
  return new HerError('FILE_UNWRITABLE', `${shown} cannot be written: ${cause.message}`, { cause });
}
