import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import {
  formatProblem,
  ImportError,
  type ImportedStudy,
  type ImportNote,
  type ImportReading,
  InvalidStudyError,
  importConfig,
  importedText,
  importScript,
  importStudy,
  type LeftOver,
  loadStudy,
  type TrainerCommand,
  withConfig,
  withLauncherFile,
} from '@her/configs';
import { exitCodes, HerError } from '../errors.ts';
import { absolute, callerDirectory } from '../home.ts';
import { writeNewFile } from '../new-file.ts';
import { readNamedFile } from '../plain-file.ts';
import { isDiskFull, systemWords } from '../system-error.ts';
import { type ImportRow, importedView } from '../views/imported.ts';
import { sections } from '../views/sections.ts';
import { refuseEmpty, refuseNoName } from './arguments.ts';

export type ImportOptions = {
  out?: string;
  name: string;
  set: Record<string, string>;
  command?: 'sft' | 'rlhf' | 'megatron-sft' | 'megatron-rlhf' | 'verl';
  json: boolean;
};

/** `her import SCRIPT…`: launches become stages of one study; what of them is not in it is listed by line. */
export async function importScripts(scripts: readonly string[], options: ImportOptions): Promise<number> {
  refuseEmpty('--out', options.out);
  refuseNoName('--name', options.name);
  const rows: ImportRow[] = [];
  const launches: { file: string; launch: TrainerCommand }[] = [];
  for (const script of scripts) {
    const reading = await readScript(script, options);
    rows.push(...reading.notes.map((note) => noteRow(script, note)));
    for (const launch of reading.launches) {
      const whole = await withItsLauncher(script, await withItsConfig(script, launch, rows));
      // Of values the study's own list says more: what became of them.
      const notes = whole.notes.filter(({ code }) => code !== 'unknown-value');
      rows.push(...notes.map((note) => noteRow(script, note)));
      launches.push({ file: script, launch: whole });
    }
  }
  const imported = importStudy(
    launches.map(({ launch }) => launch),
    options.name,
  );
  const only = scripts.length === 1 ? (scripts[0] ?? '') : '';
  for (const left of imported.left) rows.push(leftRow(launches[left.launch ?? -1]?.file ?? only, left));
  await show(imported, scripts, rows, options);
  return imported.stages.length === 0 ? exitCodes.invalid : exitCodes.done;
}

async function readScript(script: string, options: ImportOptions): Promise<ImportReading> {
  const text = await readText(script);
  try {
    if (/\.(ya?ml|json|overrides?)$/.test(script))
      return importConfig(text, { file: script, ...commandOf(options) });
    return importScript(text, { file: script, set: options.set });
  } catch (cause) {
    if (cause instanceof ImportError)
      throw new HerError('IMPORT_FAILED', cause.message.replace(/ \[\w+\]$/, ''), {
        cause,
        hint: cause.hint,
      });
    throw cause;
  }
}

/** What a config file is for, as told; its own keys decide otherwise. */
function commandOf({ command: meant }: ImportOptions): {
  trainer?: TrainerCommand['trainer'];
  command?: string;
} {
  if (meant === undefined) return {};
  if (meant === 'verl') return { trainer: 'verl' };
  return meant.startsWith('megatron-')
    ? { trainer: 'megatron-swift', command: meant.slice('megatron-'.length) }
    : { trainer: 'ms-swift', command: meant };
}

async function readText(script: string): Promise<string> {
  return await readNamedFile(absolute(script, callerDirectory()), script);
}

/** A launch with the config file that it names, when that lies beside the script or below. */
async function withItsConfig(
  script: string,
  launch: TrainerCommand,
  rows: ImportRow[],
): Promise<TrainerCommand> {
  const { config } = launch;
  if (config === null || config.kind !== 'file') return launch;
  const text = config.text ?? (await textBeside(script, config.path));
  if (text === null) {
    const message = `the config file \`${config.path}\` is not beside the script, and was not read.`;
    rows.push({
      file: script,
      line: config.line,
      option: config.path,
      code: 'other-file',
      message,
      hint: 'Import it by itself.',
    });
    return launch;
  }
  try {
    const about = { file: config.path, trainer: launch.trainer, command: launch.command };
    const [found] = importConfig(text, about).launches;
    return found === undefined ? launch : withConfig(launch, found);
  } catch (cause) {
    if (!(cause instanceof ImportError)) throw cause;
    throw new HerError('IMPORT_FAILED', cause.message.replace(/ \[\w+\]$/, ''), { cause, hint: cause.hint });
  }
}

/** A launch with the file that its launcher names, when that lies beside the script or below. */
async function withItsLauncher(script: string, launch: TrainerCommand): Promise<TrainerCommand> {
  const { file } = launch.launcher;
  const text = file === undefined ? null : await textBeside(script, file);
  if (text === null) return launch;
  try {
    return withLauncherFile(launch, text);
  } catch (cause) {
    if (!(cause instanceof ImportError)) throw cause;
    throw new HerError('IMPORT_FAILED', cause.message.replace(/ \[\w+\]$/, ''), { cause, hint: cause.hint });
  }
}

/** A script is data: a path that it names is read only inside its own folder or the caller's. */
async function textBeside(script: string, path: string): Promise<string | null> {
  const from = callerDirectory();
  for (const folder of [dirname(absolute(script, from)), from]) {
    const root = await realpath(folder).catch(() => null);
    const file = await realpath(join(folder, path)).catch(() => null);
    if (root === null || file === null || relative(root, file).startsWith('..')) continue;
    return await readNamedFile(file, path);
  }
  return null;
}

async function show(
  imported: ImportedStudy,
  scripts: readonly string[],
  rows: ImportRow[],
  options: ImportOptions,
): Promise<void> {
  const { out } = options;
  const { study, stages, settings } = imported;
  const text = importedText(
    imported,
    scripts.map((script) => basename(script)),
  );
  const named = out ?? (options.json ? 'study' : '(the study above)');
  const open = stages.length === 0 ? [] : problemsOf(text, named);
  if (out !== undefined && stages.length > 0) await write(text, out);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ study, stages, settings, left: rows, problems: open })}\n`);
    return;
  }
  if (out === undefined && stages.length > 0) process.stdout.write(text);
  const to = out === undefined || stages.length === 0 ? process.stderr : process.stdout;
  // With one script its name is enough.
  const shown = rows.map((row) => (scripts.length === 1 ? { ...row, file: basename(row.file) } : row));
  const view = { scripts: scripts.length, stages, rows: shown, open, settings, out };
  to.write(`${sections(importedView(view, Math.min(to.columns ?? 120, 120)))}\n`);
  if (stages.length === 0) throw nothingImported(scripts, imported);
}

function nothingImported(scripts: readonly string[], { left }: ImportedStudy): HerError {
  const message = `no launch of ${scripts.join(', ')} can be a stage of a study`;
  const [first] = left.filter(({ code }) => code === 'not-carried' || code === 'unknown-value');
  const hint =
    first === undefined ? 'The list above says why.' : `${first.message} ${first.hint ?? ''}`.trim();
  return new HerError('IMPORT_FAILED', message, { hint });
}

/** What is wrong with the study as imported; paths of other machines are no matter here. */
function problemsOf(text: string, file: string): string[] {
  try {
    loadStudy(text, file, { exists: () => true });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidStudyError)) throw error;
    return error.problems.map(formatProblem);
  }
}

async function write(text: string, out: string): Promise<void> {
  await writeNewFile(absolute(out, callerDirectory()), text).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST')
      throw new HerError('FILE_TAKEN', `${out} is there already`, {
        hint: 'Nothing was written. Name another file.',
        cause,
      });
    if (isDiskFull(cause))
      throw new HerError('DISK_FULL', `no room for ${out}; nothing was written`, { cause });
    throw new HerError('FILE_UNWRITABLE', `${out} cannot be written: ${systemWords(cause)}`, { cause });
  });
}

function noteRow(script: string, { file = script, line, code, message, hint }: ImportNote): ImportRow {
  return { file, line, option: '', code, message, ...(hint === undefined ? {} : { hint }) };
}

function leftRow(script: string, { file = script, line, option, code, message, hint }: LeftOver): ImportRow {
  return { file, line, option, code, message, ...(hint === undefined ? {} : { hint }) };
}
