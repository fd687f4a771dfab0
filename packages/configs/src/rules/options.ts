import type { StudyProblem } from '../errors.ts';
import type { OptionTable, TrainerOption } from '../options/option.ts';
import { optionTable } from '../options/tables.ts';
import { verlTable } from '../stages/rl/engines.ts';
import { rlOwnedOptions } from '../stages/rl/study-words.ts';
import { type SwiftCommand, swiftCommand } from '../stages/swift/command.ts';
import { swiftOwnedOptions } from '../stages/swift/study-words.ts';
import { nearestNames, suggestName } from '../study/nearest.ts';
import type { Study } from '../study/schema.ts';
import type { OptionValue } from '../study/settings.ts';
import type { StudySource } from '../study/source.ts';
import type { Stage } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { isHydraName, unsayable } from './unsayable.ts';

/** Options by name, type and choice, as the pinned version of the trainer declares them. */
export function optionProblems(study: Study, source: StudySource): StudyProblem[] {
  return Object.entries(study.stages).flatMap(([stageName, stage]) => {
    const rules = rulesOf(stage);
    if (rules === undefined || !('options' in stage)) return [];
    return Object.entries(stage.options).flatMap(([name, value]) => {
      const path = ['stages', stageName, 'options', name];
      const extended = (by: string): boolean => Object.hasOwn(stage.options, by);
      const problem = checkOption(name, value, { ...rules, extended });
      return problem === undefined ? [] : [{ ...problem, place: source.place(path, problem.at) }];
    });
  });
}

type Rules = { table: OptionTable; owned: Record<string, string> };
/** `extended`: whether the study sets an option that may bring more names for others. */
type Asked = Rules & { extended: (by: string) => boolean };

/** The options of the trainer that a stage runs on, and those of them that the study has words for. */
export function rulesOf(stage: Stage): Rules | undefined {
  switch (stage.kind) {
    case 'sft':
    case 'rlhf':
      return swiftRules(swiftCommand(stage));
    case 'rl':
      return { table: verlTable(stage), owned: rlOwnedOptions(stage) };
    default:
      return undefined;
  }
}

function swiftRules(command: SwiftCommand): Rules {
  const table = optionTable({ trainer: 'ms-swift', version: '4.6.0', command });
  return { table, owned: swiftOwnedOptions(command) };
}

type Found = Omit<StudyProblem, 'place'> & { at: 'key' | 'value' };

function checkOption(written: string, value: OptionValue, rules: Asked): Found | undefined {
  const { table, owned, extended } = rules;
  // Hydra's `+key`. ms-swift has no such thing.
  const adds = written.startsWith('+') && table.trainer === 'verl';
  const name = adds ? written.slice(1) : written;
  const word = Object.hasOwn(owned, name) ? owned[name] : undefined;
  if (word !== undefined) {
    return {
      code: 'STUDY_OPTION_TAKEN',
      message: `\`${name}\` is set by the study itself.`,
      hint: `Its word there: ${word}.`,
      at: 'key',
    };
  }
  const option = Object.hasOwn(table.options, name) ? table.options[name] : undefined;
  const unknown = adds ? checkAdded(name, option, table) : checkName(name, option, table);
  if (unknown !== undefined) return unknown;
  const unsaid = unsayable(value, table.trainer);
  if (unsaid !== undefined) return { code: 'STUDY_OPTION_TYPE', message: unsaid, at: 'value' };
  // Hydra takes any value for an option that it adds.
  if (option === undefined || (value === null && takesNull(option, table))) return undefined;
  const open = option.extendedBy !== undefined && extended(option.extendedBy);
  const wrong = mismatch(open ? { ...option, choices: [] } : option, value);
  return wrong === undefined ? undefined : { code: 'STUDY_OPTION_TYPE', at: 'value', ...wrong };
}

function checkName(name: string, option: TrainerOption | undefined, table: OptionTable): Found | undefined {
  if (option !== undefined) return undefined;
  return {
    code: 'STUDY_UNKNOWN_OPTION',
    message: `${table.trainer} ${table.version} has no option \`${name}\`.`,
    hint: suggestName(name, Object.keys(table.options)) || suggestLeaf(name, Object.keys(table.options)),
    at: 'key',
  };
}

/** Branches that take keys of any name, which may be like those that are there. */
const openBranches = ['ray_kwargs.ray_init', 'actor_rollout_ref.model.override_config'];

/** A name of several steps, of which the last is right elsewhere, or begins one that is there. */
function suggestLeaf(name: string, valid: readonly string[]): string {
  const at = name.lastIndexOf('.');
  if (at < 0) return '';
  const [branch, leaf] = [name.slice(0, at + 1), name.slice(at + 1)];
  const begun = valid.filter((key) => key.startsWith(name) && !key.slice(name.length).includes('.'));
  const elsewhere = valid.filter((key) => key.endsWith(`.${leaf}`));
  const beside = valid.filter((key) => key.startsWith(branch) && !key.slice(branch.length).includes('.'));
  const near = nearestNames(
    leaf,
    beside.map((key) => key.slice(branch.length)),
  ).map((key) => branch + key);
  const found = [...new Set([...near, ...begun, ...elsewhere])].slice(0, 3);
  return found.length === 0 ? '' : `Did you mean ${found.map((key) => `\`${key}\``).join(' or ')}?`;
}

/**
 * An added key must be new, and hang on a branch that exists. Hydra makes what is missing between them, a slip in a
 * name too: the first name that is not there must not look like one that is.
 */
function checkAdded(name: string, option: TrainerOption | undefined, table: OptionTable): Found | undefined {
  const found = { code: 'STUDY_UNKNOWN_OPTION', at: 'key' } as const;
  if (option?.hidden === true) return undefined;
  if (option !== undefined) {
    return { ...found, message: `\`${name}\` exists already.`, hint: 'Write it without the `+`.' };
  }
  const steps = name.split('.');
  const depth = steps.findIndex((_, i) => !Object.hasOwn(table.options, steps.slice(0, i + 1).join('.')));
  const parent = steps.slice(0, depth).join('.');
  const wrong = steps.find((step) => !isHydraName(step));
  if (wrong !== undefined) return { ...found, message: `\`${wrong}\` is no name that Hydra can add.` };
  const type = parent === '' ? 'dict' : table.options[parent]?.type;
  if (type !== 'dict' && type !== 'any') {
    const message = `\`${parent}\` is no branch of ${table.trainer} ${table.version}, so nothing can be added to it.`;
    return { ...found, message };
  }
  if (openBranches.includes(parent)) return undefined;
  const strict = Object.hasOwn(table.options, `${parent}._target_`) && parent !== 'reward';
  if (strict || parent === 'trainer') {
    const message = `verl ${table.version} has no \`${name}\`, and ${strict ? 'refuses' : 'does not read'} what it lacks there.`;
    const valid = Object.keys(table.options);
    return { ...found, message, hint: suggestName(name, valid) };
  }
  const beside = Object.keys(table.options).filter(
    (key) => key.startsWith(parent === '' ? '' : `${parent}.`) && key.split('.').length === depth + 1,
  );
  const near = nearestNames(
    steps[depth] ?? '',
    beside.map((key) => key.split('.').at(-1) ?? ''),
  );
  if (near.length === 0 && parent !== '') return undefined;
  const message = `nothing at \`${[...steps.slice(0, depth), steps[depth]].join('.')}\` in ${table.trainer} ${table.version}.`;
  const hint = suggestName(
    steps[depth] ?? '',
    beside.map((key) => key.split('.').at(-1) ?? ''),
  );
  return { ...found, message, hint };
}

/** Hydra knows null for every option; what verl makes of one is another matter. */
function takesNull(option: TrainerOption, table: OptionTable): boolean {
  return table.trainer === 'verl' && (option.nullable === true || option.default === undefined);
}

type Mismatch = { message: string; hint?: string };

function mismatch(option: TrainerOption, value: OptionValue): Mismatch | undefined {
  if (option.list === true && Array.isArray(value))
    return value
      .map((item) => mismatch({ ...option, list: false }, item))
      .find((wrong) => wrong !== undefined);
  const shown = JSON.stringify(value);
  if ((option.choices ?? []).length > 0 && option.choices?.includes(textOf(value)) === false) {
    const hint = suggestName(textOf(value), option.choices ?? []);
    return { message: `${shown} is not one of its choices.`, hint };
  }
  return fits(option, value)
    ? undefined
    : { message: `${shown} where ${expected[option.type]} is expected.` };
}

const expected: Record<TrainerOption['type'], string> = {
  bool: 'true or false',
  int: 'a whole number',
  float: 'a number',
  str: 'a text',
  list: 'a list',
  dict: 'a mapping',
  any: 'a value',
};

/** A text may be written for any option that takes one; a mapping is what several text options of ms-swift take as JSON. */
function fits(option: TrainerOption, value: OptionValue): boolean {
  switch (option.type) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number';
    case 'list':
      return Array.isArray(value);
    case 'dict':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'str':
      return !Array.isArray(value);
    case 'any':
      return true;
  }
}
