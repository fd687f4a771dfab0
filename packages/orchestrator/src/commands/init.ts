import type { Stats } from 'node:fs';
import { lstat, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { studyJsonSchemaText } from '@her/configs';
import { HerError } from '../errors.ts';
import { absolute, callerDirectory, folderOf, installation } from '../home.ts';
import { makeFolder, removeFolders } from '../make-folder.ts';
import { type StagedFile, stageFile } from '../new-file.ts';
import { readNamedFile } from '../plain-file.ts';
import { isDiskFull, systemWords } from '../system-error.ts';
import { oneLine } from '../views/words.ts';
import { refuseEmpty } from './arguments.ts';

export type Template = 'blank' | 'tiny' | 'her';
export type InitOptions = { force: boolean; json: boolean };

const schemaName = 'study.schema.json';

/**
 * `her init`: a study to start from, and the schema beside it. Beside it and not a path into this installation: the
 * study can then be moved, committed and read on another machine, and goes on to be completed there.
 */
export async function init(template: Template, path: string, { force, json }: InitOptions): Promise<number> {
  refuseEmpty('the path', path);
  const shown = /\.ya?ml$/.test(path)
    ? path
    : join(path, `${template === 'blank' ? 'study' : template}.yaml`);
  const file = absolute(shown, callerDirectory());
  const text = await readFile(join(installation, 'studies', `${template}.yaml`), 'utf8');
  const study = template === 'blank' ? namedAfter(file, text) : text;
  await refuseTaken(file, force, shown);
  const schemaShown = join(folderOf(shown), schemaName);
  const schema = await schemaFor(join(folderOf(file), schemaName), force, schemaShown);
  const made = await makeFolder(folderOf(file)).catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(shown, cause);
  });
  await writeBoth({ file, text: study, shown }, schema, force).catch(async (error: unknown) => {
    await removeFolders(made);
    throw error;
  });
  const next = nextSteps[template](shown);
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ template, study: file, schema: schema.file, schemaIs: schema.is, next })}\n`,
    );
    return 0;
  }
  const places = study.split('\n').filter((line) => line.includes('# HERE')).length;
  const lines = [
    `${shown}  written`,
    `${schemaShown}  ${schemaWords[schema.is]}`,
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

type Schema = { file: string; text: string; is: keyof typeof schemaWords };

/** What becomes of the schema beside the study; anything there that is no plain file is told before all else. */
async function schemaFor(file: string, force: boolean, shown: string): Promise<Schema> {
  const text = studyJsonSchemaText();
  if (!(await isThere(file, shown)) || force) return { file, text, is: 'written' };
  const there = await readNamedFile(file, shown);
  return { file, text, is: there === text ? 'same' : 'other' };
}

async function refuseTaken(file: string, force: boolean, shown: string): Promise<void> {
  if (force) await isThere(file, shown);
  else if ((await lookAt(lstat, file, shown)) !== undefined)
    throw new HerError('FILE_TAKEN', `${shown} is there already`);
}

/** Whether something is there that can be read, and written over. */
async function isThere(file: string, shown: string): Promise<boolean> {
  const found = await lookAt(stat, file, shown);
  if (found === undefined) return (await lookAt(lstat, file, shown)) !== undefined;
  if (found.isFile()) return true;
  throw unwritable(shown, new Error(found.isDirectory() ? 'it is a folder' : 'it is a pipe or a device'));
}

async function lookAt(
  look: (file: string) => Promise<Stats>,
  file: string,
  shown: string,
): Promise<Stats | undefined> {
  return await look(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw unwritable(shown, cause);
  });
}

/** Both files are whole on the disk before either is in place, so that a full disk leaves nothing behind. */
async function writeBoth(
  study: { file: string; text: string; shown: string },
  schema: Schema,
  force: boolean,
): Promise<void> {
  const staged: StagedFile[] = [];
  const stage = async (file: string, text: string): Promise<StagedFile> => {
    const one = await stageFile(file, text);
    staged.push(one);
    return one;
  };
  try {
    const studyFile = await stage(study.file, study.text);
    const schemaFile = schema.is === 'written' ? await stage(schema.file, schema.text) : undefined;
    await schemaFile?.put(force);
    await studyFile.put(force).catch(async (cause: unknown) => {
      if (schemaFile !== undefined && !force) await rm(schema.file, { force: true });
      throw cause;
    });
  } catch (cause) {
    throw unwritable(study.shown, cause as NodeJS.ErrnoException);
  } finally {
    for (const one of staged) await one.drop();
  }
}

function unwritable(shown: string, cause: NodeJS.ErrnoException): HerError {
  if (cause.code === 'EEXIST') return new HerError('FILE_TAKEN', `${shown} is there already`, { cause });
  if (isDiskFull(cause))
    return new HerError('DISK_FULL', `no room for ${shown}; nothing was written`, { cause });
  const why = `${shown} cannot be written: ${systemWords(cause)}`;
  return new HerError('FILE_UNWRITABLE', why, { cause });
}
