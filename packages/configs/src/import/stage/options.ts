import type { OptionTable, TrainerOption as TableOption } from '../../options/option.ts';
import { suggestName } from '../../study/nearest.ts';
import type { OptionValue } from '../../study/settings.ts';
import type { ImportValue, TrainerOption, UnknownPiece } from '../trainer-command.ts';
import { setHint } from '../unknown.ts';
import type { LeftOver } from './draft.ts';
import { holdsSecret } from './secrets.ts';

/** An option of a launch under today's name, with its value as data. */
export type ReadOption = {
  value: OptionValue;
  line: number;
  spelling: string;
  /** What of the value only running tells. */
  unknown: readonly UnknownPiece[];
};

/** Today's name of an option, or why the pinned version has nothing in its place; undefined for one that stays. */
export type Renamed = (name: string) => { now: string; added?: true } | { gone: string } | undefined;

/** The options of a launch by name, and what of them the pinned trainer does not take. */
export function readOptions(
  options: readonly TrainerOption[],
  table: OptionTable,
  renamed: Renamed,
): { read: Map<string, ReadOption>; left: LeftOver[] } {
  const read = new Map<string, ReadOption>();
  const left: LeftOver[] = [];
  for (const written of options) {
    const { line, spelling } = written;
    if (holdsSecret(written)) {
      const message = 'a study never holds a secret; give it to the node, as a variable of its environment.';
      left.push({ line, option: spelling, code: 'secret', message });
      continue;
    }
    if (written.action === 'delete' || written.package !== undefined) {
      const message = 'a study has no way to take a key away or to choose a config group.';
      left.push({ line, option: spelling, code: 'not-carried', message });
      continue;
    }
    const moved = renamed(written.name);
    if (moved !== undefined && 'gone' in moved) {
      const message = `${table.trainer} ${table.version} does not read it: ${moved.gone}.`;
      left.push({ line, option: spelling, code: 'gone', message });
      continue;
    }
    const name = moved?.now ?? written.name;
    const declared = Object.hasOwn(table.options, name) ? table.options[name] : undefined;
    const adds = written.action === 'add' || written.action === 'add-or-set' || moved?.added === true;
    if (moved !== undefined) {
      const message = `${table.trainer} ${table.version} knows it as \`${name}\`.`;
      left.push({ line, option: spelling, code: 'renamed', message });
    }
    if (declared === undefined && !(adds && table.trainer === 'verl')) {
      left.push(goneOption(written, table));
      continue;
    }
    const value = declared === undefined ? plain(written) : typed(declared, written);
    if (value === undefined) left.push(wrongValue(written, declared));
    else
      read.set(declared === undefined && adds ? `+${name}` : name, {
        value,
        line,
        spelling,
        unknown: written.unknown,
      });
  }
  return { read, left };
}

function goneOption({ name, spelling, line }: TrainerOption, table: OptionTable): LeftOver {
  const near = suggestName(name, Object.keys(table.options));
  return {
    line,
    option: spelling,
    code: 'gone',
    message: `${table.trainer} ${table.version} (${table.command}) has no option \`${name}\`.`,
    ...(near === '' ? {} : { hint: near }),
  };
}

function wrongValue(
  { spelling, line, values, unknown }: TrainerOption,
  declared: TableOption | undefined,
): LeftOver {
  const shown = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ');
  if (unknown.length > 0) {
    const hint = setHint(unknown);
    return {
      line,
      option: spelling,
      code: 'unknown-value',
      message: `its value \`${shown}\` is known to the running script only.`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
  const wanted = declared?.choices === undefined ? `a value of type ${declared?.type}` : `one of its choices`;
  return { line, option: spelling, code: 'wrong-value', message: `\`${shown}\` is not ${wanted}.` };
}

/** The value as its option wants it, or undefined. */
function typed(declared: TableOption, { values, action }: TrainerOption): OptionValue | undefined {
  const fromData = action !== undefined;
  if (values.length === 0) return declared.type === 'bool' ? true : undefined;
  if (declared.list === true) return typedList(declared, values, fromData);
  if (values.length > 1) return undefined;
  const [only] = values;
  return only === undefined ? undefined : scalar(declared, only);
}

function typedList(declared: TableOption, values: ImportValue[], fromData: boolean): OptionValue | undefined {
  const [first] = values;
  const flat = values.length === 1 && Array.isArray(first) ? first : values;
  // verl's options that take a list take one text too; ms-swift's are lists always.
  if (fromData && values.length === 1 && !Array.isArray(first))
    return first === undefined ? undefined : scalar(declared, first);
  const items = flat.map((item) => scalar(declared, item));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function scalar(declared: TableOption, value: ImportValue): OptionValue | undefined {
  if (value === null) return declared.nullable === true || declared.default === undefined ? null : undefined;
  const found = byType(declared, value);
  if (found === undefined || declared.choices === undefined) return found;
  const known = declared.choices.includes(String(found)) || declared.extendedBy !== undefined;
  return known ? found : undefined;
}

function byType(declared: TableOption, value: ImportValue): OptionValue | undefined {
  switch (declared.type) {
    case 'bool':
      return asBoolean(value);
    case 'int':
    case 'float':
      return asNumber(value, declared.type === 'int');
    case 'str':
      return typeof value === 'object' ? value : String(value);
    case 'list':
      return Array.isArray(value) ? value : undefined;
    case 'dict':
      return typeof value === 'object' && !Array.isArray(value) ? value : undefined;
    case 'any':
      return value;
  }
}

/** The words that transformers' parser takes for a truth value. */
function asBoolean(value: ImportValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = String(value).toLowerCase();
  if (['yes', 'true', 't', 'y', '1'].includes(word)) return true;
  return ['no', 'false', 'f', 'n', '0'].includes(word) ? false : undefined;
}

function asNumber(value: ImportValue, whole: boolean): number | undefined {
  if (typeof value === 'boolean' || typeof value === 'object') return undefined;
  const text = String(value)
    .trim()
    .replaceAll(/(?<=\d)_(?=\d)/g, '');
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number) || (whole && !Number.isSafeInteger(number))) return undefined;
  return number;
}

function plain({ values }: TrainerOption): OptionValue | undefined {
  return values[0];
}
