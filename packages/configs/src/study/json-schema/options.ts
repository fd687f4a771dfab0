import { everyTable } from '../../explain/every-table.ts';
import { knownNames } from '../../explain/known-names.ts';
import { type Sample, samples } from '../../explain/sample-stages.ts';
import type { OptionTable, TrainerOption } from '../../options/option.ts';
import { replacementFor } from '../../rules/verl-ignored.ts';
import type { Definitions, JsonSchema } from './definitions.ts';

/** The `options` of a stage on one command of a trainer: every name that a study may write there. */
export function optionsOf(command: string, definitions: Definitions): JsonSchema {
  const table = everyTable().find((one) => one.command === command);
  if (table === undefined) throw new RangeError(`no trainer has a command \`${command}\``);
  const of = samples().filter((sample) => sample.command === command);
  const names = Object.keys(table.options).filter((name) => isFree(name, table, of));
  return definitions.share(`options-${command}`, {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, optionOf(name, table, of, definitions)])),
    // Hydra's `+key` adds what the tree lacks.
    ...(table.trainer === 'verl' ? { patternProperties: { '^\\+': true } } : {}),
    additionalProperties: false,
  });
}

/** Neither said by the study's own words whatever the stage is, nor dead. */
function isFree(name: string, { trainer }: OptionTable, of: readonly Sample[]): boolean {
  if (trainer === 'verl' && replacementFor(name) !== undefined) return false;
  return !of.every(({ owned }) => Object.hasOwn(owned, name));
}

function optionOf(
  name: string,
  table: OptionTable,
  of: readonly Sample[],
  definitions: Definitions,
): JsonSchema {
  const option = table.options[name];
  if (option === undefined) throw new TypeError(`${name} is in no table`);
  const { follows, default: fallback } = option;
  const rules = new Set(of.flatMap(({ rules: all }) => all.filter(({ options }) => options.includes(name))));
  const about = [
    ...(follows === undefined ? [] : [`Until it is set, what \`${follows}\` is.`]),
    ...[...rules].map(({ says }) => says),
  ].join(' ');
  const known = table.trainer === 'ms-swift' ? knownNames(name)?.names : undefined;
  const value =
    known === undefined
      ? schemaOf(option, table.trainer)
      : { anyOf: [{ enum: known }, schemaOf(option, table.trainer)] };
  const kind = option.choices === undefined && known === undefined ? option.type : name;
  return {
    ...definitions.withOrigin(`option-${kind}`, value, titleOf(option)),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(about === '' ? {} : { description: about }),
  };
}

const titles: Record<TrainerOption['type'], string> = {
  bool: 'True or false',
  int: 'A whole number',
  float: 'A number',
  list: 'A list',
  dict: 'A mapping',
  str: 'A text',
  any: 'Any value',
};

function titleOf({ type, list, choices }: TrainerOption): string {
  const one = choices === undefined ? titles[type] : 'One of a set of names';
  return `${one}${list === true ? ', or several' : ''}. \`her explain NAME\` says more.`;
}

const types: Record<TrainerOption['type'], JsonSchema> = {
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  float: { type: 'number' },
  list: { type: 'array' },
  dict: { type: 'object' },
  // A number or a mapping may be written for any option that takes a text.
  str: { type: ['string', 'number', 'boolean', 'object', 'null'] },
  any: {},
};

/** What `rules/options.ts` lets pass; and null, which in a change of an arm or a target takes an option away. */
function schemaOf({ type, list, choices, extendedBy }: TrainerOption, trainer: string): JsonSchema {
  // ms-swift is given words of a command line, on which there is no empty list.
  const words = trainer === 'ms-swift';
  const plain = words && type === 'any' ? { not: { type: 'array', maxItems: 0 } } : types[type];
  const named = choices === undefined ? plain : { enum: choices.flatMap(written) };
  const one = extendedBy === undefined ? named : { anyOf: [named, plain] };
  const several = { type: 'array', items: one, ...(words ? { minItems: 1 } : {}) };
  return { anyOf: [...(list === true ? [one, several] : [one]), { type: 'null' }] };
}

/** A choice as a text, and as the number or truth value that YAML reads from the same letters. */
function written(choice: string): unknown[] {
  if (choice === 'true' || choice === 'false') return [choice, choice === 'true'];
  const number = Number(choice);
  return choice !== '' && String(number) === choice ? [choice, number] : [choice];
}
