import { refuseForeign, swiftCommandOf } from './config-command.ts';
import { type Entry, readTree } from './config-tree.ts';
import { withVariables } from './import-script.ts';
import { Notes } from './note.ts';
import { ImportError } from './problem.ts';
import { text as asText } from './shell/value.ts';
import { lastOfEach } from './swift-options.ts';
import type {
  EnvironmentVariable,
  ImportReading,
  ImportValue,
  TrainerCommand,
  TrainerOption,
} from './trainer-command.ts';
import { overrideOption } from './verl-options.ts';

/** `trainer` and `command`: which trainer it was given to; without them the file's keys decide. */
export type ConfigOptions = {
  file: string;
  trainer?: TrainerCommand['trainer'];
  command?: string;
};

/** A config file as a launch: ms-swift's YAML or JSON, a tree of verl's options, or `.overrides`, one on a line. */
export function importConfig(text: string, { file, trainer, command }: ConfigOptions): ImportReading {
  const notes = new Notes();
  if (/\.overrides?$/.test(file))
    return reading(file, verlLaunch(overrideLines(text, notes), command, notes));
  const json = /\.json$/.test(file);
  if (trainer === undefined) refuseForeign(readTree(text, file, json ? 'json' : 'pyyaml'), file);
  const isVerl = trainer ? trainer === 'verl' : looksLikeVerl(readTree(text, file, json ? 'json' : 'pyyaml'));
  if (isVerl) {
    return reading(
      file,
      verlLaunch(treeOptions(readTree(text, file, json ? 'json' : 'omegaconf'), notes), command, notes),
    );
  }
  const entries = readTree(text, file, json ? 'json' : 'pyyaml');
  if (entries.length === 0) {
    throw new ImportError({
      code: 'IMPORT_CONFIG',
      message: 'the config file holds no option.',
      hint: 'Import the file that is given to the trainer.',
      place: { file, line: 1, column: 1 },
    });
  }
  const env = environmentOf(entries, notes);
  const meant = trainer === undefined ? swiftCommandOf(entries, file) : { trainer, command: command ?? '' };
  return reading(file, {
    ...meant,
    line: 1,
    column: 1,
    env,
    options: swiftEntries(entries, notes),
    config: null,
    launcher: withVariables({ other: [] }, env),
    via: [],
    notes: notes.all(),
  });
}

const reading = (file: string, launch: TrainerCommand): ImportReading => ({
  file,
  launches: [launch],
  notes: [],
});

const verlRoots =
  /^(actor_rollout_ref|algorithm|critic|reward_model|reward|ray_kwargs|custom_reward_function|trainer)(\.|$)/;

/** verl's options stand in groups; ms-swift's are flat. */
function looksLikeVerl(entries: readonly Entry[]): boolean {
  return entries.some(({ key, inner }) => verlRoots.test(key) && (inner !== undefined || key.includes('.')));
}

/** ms-swift turns each entry into words: lists into several, booleans and numbers into their text. */
function swiftEntries(entries: readonly Entry[], notes: Notes): TrainerOption[] {
  const options = entries
    .filter(({ key }) => key !== 'ENV')
    .map(({ key, line, column, value }): TrainerOption => {
      if (value === null) {
        const message = `\`${key}\` has no value here, which ms-swift hands on as the text \`None\`.`;
        notes.add({ line, code: 'not-an-option', message, hint: 'Leave the key out for its default.' });
      }
      const values: ImportValue[] = Array.isArray(value) ? value : [value ?? 'None'];
      return { name: key.replaceAll('-', '_'), spelling: key, values, line, column, unknown: [] };
    });
  return lastOfEach(options, notes);
}

/** `ENV:` sets what the environment lacks. */
function environmentOf(entries: readonly Entry[], notes: Notes): Record<string, EnvironmentVariable> {
  const env: Record<string, EnvironmentVariable> = {};
  for (const { key, inner, line } of entries) {
    if (key !== 'ENV') continue;
    if (!inner)
      notes.add({ line, code: 'not-an-option', message: '`ENV` is no mapping of names to values.' });
    for (const each of inner ?? []) {
      const value = typeof each.value === 'string' ? each.value : pythonText(each.value);
      env[each.key] = { value, line: each.line, unknown: [] };
    }
  }
  return env;
}

function pythonText(value: ImportValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function verlLaunch(options: TrainerOption[], command: string | undefined, notes: Notes): TrainerCommand {
  return {
    trainer: 'verl',
    command: command ?? 'main_ppo',
    line: 1,
    column: 1,
    env: {},
    options: lastOfEach(options, notes),
    config: null,
    launcher: { other: [] },
    via: [],
    notes: notes.all(),
  };
}

/** The leaves of a tree under their dotted names. */
function treeOptions(entries: readonly Entry[], notes: Notes, prefix = ''): TrainerOption[] {
  return entries.flatMap(({ key, line, column, value, inner }): TrainerOption[] => {
    const name = prefix + key;
    if (prefix === '' && (key === 'defaults' || key === 'hydra')) {
      notes.add({
        line,
        code: 'not-an-option',
        message: `\`${key}\` composes the config in Hydra and is not carried over.`,
      });
      return [];
    }
    if (inner && inner.length > 0) return treeOptions(inner, notes, `${name}.`);
    return [{ name, spelling: name, values: [value], line, column, action: 'set', unknown: [] }];
  });
}

/** One override a line; blank lines and `#` lines are none. */
function overrideLines(text: string, notes: Notes): TrainerOption[] {
  return text.split(/\r?\n/).flatMap((written, i): TrainerOption[] => {
    const line = i + 1;
    const trimmed = written.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const option = overrideOption(
      { value: asText(trimmed, line), line, column: written.indexOf(trimmed) + 1 },
      notes,
    );
    return option ? [option] : [];
  });
}
