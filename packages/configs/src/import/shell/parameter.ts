import type { Word as AstWord, ParameterExpansionPart } from 'unbash';
import { compute, integer } from './arithmetic.ts';
import { expandOne, expandPattern, spendMatch } from './expand.ts';
import { matchesWhole, removeMatch, replaceMatch, toPattern } from './pattern.ts';
import type { Run } from './run.ts';
import { asUnset, isUnknown, join, known, onlyUnset, text, type Value } from './value.ts';

/** What `$…` stands for: one value, a list of them (`"$@"`), or a word of the script (`${x:-word}`). */
export type Expansion =
  | { value: Value }
  | { list: readonly Value[]; joined?: boolean }
  | { operand: AstWord };

/** Variables that every shell has; their values are another machine's. */
const always =
  /^(HOME|PATH|USER|LOGNAME|SHELL|PWD|OLDPWD|HOSTNAME|HOSTTYPE|OSTYPE|UID|EUID|PPID|RANDOM|SRANDOM|SECONDS|EPOCH\w+|LINENO|BASHPID|BASH_VERSION|BASH|_|\$|!|-)$/;

/** `$x`, `$1`, `$@`. */
export function expandSimple(run: Run, name: string, line: number): Expansion {
  return look(run, name, undefined, line);
}

/** The single value of a variable, or of one element of it. */
export function readName(run: Run, name: string, line: number, index?: string): Value {
  const found = look(run, name, index, line);
  return 'value' in found ? found.value : 'list' in found ? join(found.list, ' ') : [];
}

/** `${…}` in all its forms. A form that needs something unknown is itself unknown. */
export function expandParameter(run: Run, part: ParameterExpansionPart, line: number): Expansion {
  const index = part.index && indexOf(run, part, part.index, line);
  const { operation } = part;
  if (part.prefix === '!') return indirect(run, part, index, line);
  const found = look(run, part.parameter, index, line);
  if (part.prefix === '#') return { value: count(run, part, found, line) };
  if (!operation) return found;
  if (operation.type === 'Default') return withDefault(run, part, operation, found, line);
  if (operation.type === 'Slice' && 'list' in found)
    return { list: sliceList(run, operation, found.list, part, line) };
  const edit = (value: Value): Value => edited(run, operation, value, part, line);
  return 'list' in found
    ? { ...found, list: found.list.map(edit) }
    : { value: edit('value' in found ? found.value : []) };
}

function indexOf(run: Run, part: ParameterExpansionPart, index: AstWord, line: number): string {
  if (index.text === '@' || index.text === '*') return index.text;
  const written = known(expandOne(run, index));
  const isMap = run.state.find(part.parameter)?.held?.kind === 'map';
  if (written === undefined || isMap) return written ?? '?';
  if (integer(written.trim()) !== undefined) return written.trim();
  const value = known(readName(run, written.trim(), line));
  return value ?? '?';
}

function look(run: Run, name: string, index: string | undefined, line: number): Expansion {
  const all = index === '@' || index === '*';
  if (name === '@' || name === '*') return { list: run.state.arguments.values, joined: name === '*' };
  const variable = run.state.find(name);
  if (run.given.has(name)) run.given.set(name, true);
  if (!variable) {
    const spelling = `\${${name}[${index}]}`;
    if (all && run.sourced)
      return { list: [[{ unknown: spelling, line, why: 'unset', name, splits: true }]] };
    if (all) return { list: [] };
    return { value: special(run, name, line) };
  }
  const { held } = variable;
  if (held === undefined) return all ? { list: [] } : { value: [] };
  if (held.kind === 'scalar') {
    if (index !== undefined && !all && index !== '0') return { value: [] };
    return all ? { list: [held.value], joined: index === '*' } : { value: held.value };
  }
  if (all) run.budget.spend('steps', Math.floor(held.items.size / 64), line);
  if (all) return { list: [...held.items.values()], joined: index === '*' };
  run.budget.spend('steps', Math.floor(held.items.size / 64), line);
  const keys = [...held.items.keys()];
  const key = index?.startsWith('-') && held.kind === 'list' ? keys.at(Number(index)) : (index ?? '0');
  if (key === '?') return { value: [{ unknown: `\${${name}[…]}`, line, why: 'expression', name }] };
  return { value: (key !== undefined && held.items.get(key)) || [] };
}

function special(run: Run, name: string, line: number): Value {
  const { arguments: given, status } = run.state;
  if (name === '0') return text(run.file, line);
  if (name === '?') return text(status.value === false ? '1' : '0', line);
  if (name === '#') {
    if (!given.open) return text(String(given.values.length), line);
    return [{ unknown: '$#', line, why: 'argument', name: '#', unset: '0' }];
  }
  if (/^\d+$/.test(name)) {
    const value = given.values[Number(name) - 1];
    if (value || !given.open) return value ?? [];
    const position = String(Number(name) + given.shifted);
    return [{ unknown: `\${${position}}`, line, why: 'argument', name: position }];
  }
  if (name === 'PWD' && run.state.directory) return run.state.directory;
  if (name === 'BASH_SOURCE') return text(run.file, line);
  const unknown = name === 'HOME' || name === 'PWD' || !/^\w+$/.test(name) ? `$${name}` : `\${${name}}`;
  return [{ unknown, line, why: always.test(name) ? 'environment' : 'unset', name }];
}

type Operation = NonNullable<ParameterExpansionPart['operation']>;
type OperationOf<T extends Operation['type']> = Extract<Operation, { type: T }>;

function withDefault(
  run: Run,
  part: ParameterExpansionPart,
  { operator, operand }: OperationOf<'Default'>,
  found: Expansion,
  line: number,
): Expansion {
  const emptyCounts = operator.startsWith(':');
  const variable = run.state.find(part.parameter);
  const empty =
    'list' in found
      ? found.list.length === 0
      : 'value' in found &&
        onlyUnset(found.value) &&
        asUnset(found.value) === '' &&
        (emptyCounts || isUnset(found.value, variable?.held !== undefined));
  const sign = operator.at(-1);
  if (sign === '+') return empty ? { value: [] } : { operand };
  if (!empty || sign === '?') return found;
  if (sign === '=') {
    const value = expandOne(run, operand);
    run.state.assign(part.parameter, { kind: 'scalar', value }, line);
    return { value };
  }
  return { operand };
}

const isUnset = (value: Value, assigned: boolean): boolean => value.some(isUnknown) || !assigned;

function count(run: Run, part: ParameterExpansionPart, found: Expansion, line: number): Value {
  if ('list' in found) {
    const open = found.list.some((each) => each.some((piece) => isUnknown(piece) && piece.splits));
    return open ? unknownForm(part, line) : text(String(found.list.length), line);
  }
  const whole = 'value' in found ? known(found.value) : undefined;
  if (whole !== undefined) {
    spendOn(run, whole, line);
    return text(String([...whole].length), line);
  }
  const unset = 'value' in found ? asUnset(found.value) : undefined;
  if (unset === undefined) return unknownForm(part, line);
  run.budget.spend('characters', unset.length, line);
  return [{ unknown: part.text, line, why: 'unset', name: part.parameter, unset: String(unset.length) }];
}

function indirect(
  run: Run,
  part: ParameterExpansionPart,
  index: string | undefined,
  line: number,
): Expansion {
  const held = run.state.find(part.parameter)?.held;
  if (index === '@' || index === '*') {
    const keys = held && held.kind !== 'scalar' ? [...held.items.keys()] : held ? ['0'] : [];
    return { list: keys.map((key) => text(key, line)) };
  }
  const name = known(readName(run, part.parameter, line, index));
  if (name === undefined || part.operation?.type === 'Names') return { value: unknownForm(part, line) };
  const [, variable = '', element] = /^(\w+)(?:\[(.+)\])?$/.exec(name) ?? [];
  const target = { ...part, prefix: undefined, index: undefined, parameter: variable };
  if (part.operation?.type === 'Default') {
    return withDefault(run, target, part.operation, look(run, variable, element, line), line);
  }
  return variable === '' ? { value: unknownForm(part, line) } : look(run, variable, element, line);
}

function edited(
  run: Run,
  operation: Operation,
  value: Value,
  part: ParameterExpansionPart,
  line: number,
): Value {
  const whole = known(value);
  if (operation.type === 'Remove') {
    const pattern = expandPattern(run, operation.operand);
    if (pattern && whole !== undefined) {
      spendMatch(run, whole, pattern, line);
      return text(removeMatch(whole, pattern, operation.operator), line);
    }
    return pathEdit(value, operation.operator, operation.operand.text) ?? unknownForm(part, line);
  }
  if (whole === undefined) return unknownForm(part, line);
  spendOn(run, whole, line);
  switch (operation.type) {
    case 'Replace': {
      const pattern = expandPattern(run, operation.pattern);
      const replacement = known(expandOne(run, operation.replacement));
      if (!pattern || replacement === undefined) return unknownForm(part, line);
      const spend = (characters: number) => run.budget.spend('steps', 1 + Math.floor(characters / 16), line);
      const made = replaceMatch(whole, pattern, replacement, operation.operator, spend);
      run.budget.check('value', made.length, line);
      run.budget.spend('characters', made.length, line);
      return text(made, line);
    }
    case 'Slice': {
      const range = sliceRange(run, operation, [...whole].length, line);
      return range ? text([...whole].slice(...range).join(''), line) : unknownForm(part, line);
    }
    case 'CaseModification': {
      const pattern = operation.operand
        ? expandPattern(run, operation.operand)
        : toPattern([{ text: '?', quoted: false }]);
      if (!pattern) return unknownForm(part, line);
      const change = (char: string) =>
        !matchesWhole(pattern, char)
          ? char
          : operation.operator.startsWith('^')
            ? char.toUpperCase()
            : char.toLowerCase();
      const chars = [...whole];
      const changed =
        operation.operator.length === 2 ? chars.map(change) : chars.map((c, i) => (i === 0 ? change(c) : c));
      return text(changed.join(''), line);
    }
    default:
      return unknownForm(part, line);
  }
}

/** A path whose beginning is not known still ends in a known name: what comes after, or before, its last slash. */
function pathEdit(value: Value, operator: string, pattern: string): Value | undefined {
  const last = value.at(-1);
  if (!last || isUnknown(last)) return undefined;
  const slash = last.text.lastIndexOf('/');
  if (slash >= 0 && operator === '##' && pattern === '*/')
    return [{ ...last, text: last.text.slice(slash + 1) }];
  if (slash >= 0 && operator === '%' && pattern === '/*') {
    return [...value.slice(0, -1), { ...last, text: last.text.slice(0, slash) }];
  }
  const literal = /^[\w.-]+$/.test(pattern);
  if (literal && operator.startsWith('%') && last.text.endsWith(pattern)) {
    return [...value.slice(0, -1), { ...last, text: last.text.slice(0, -pattern.length) }];
  }
  return undefined;
}

function sliceRange(
  run: Run,
  slice: OperationOf<'Slice'>,
  length: number,
  line: number,
): [number, number] | undefined {
  const offset = number(run, slice.offset, line);
  const size = slice.length ? number(run, slice.length, line) : length;
  if (offset === undefined || size === undefined) return undefined;
  const from = offset < 0 ? Math.max(0, length + offset) : offset;
  return [from, size < 0 ? length + size : from + size];
}

function sliceList(
  run: Run,
  slice: OperationOf<'Slice'>,
  list: readonly Value[],
  part: ParameterExpansionPart,
  line: number,
): readonly Value[] {
  const script = part.parameter === '@' || part.parameter === '*';
  // `${@:1}` counts from `$1`; `${a[@]:1}` from the element after the first.
  const all = script ? [text(run.file, line), ...list] : list;
  const range = sliceRange(run, slice, all.length, line);
  return range ? all.slice(...range) : [unknownForm(part, line)];
}

function number(run: Run, word: AstWord, line: number): number | undefined {
  const written = known(expandOne(run, word))?.trim();
  if (written === undefined) return undefined;
  const literal = integer(written);
  if (literal !== undefined) return Number(literal);
  const value = compute(
    run,
    { type: 'ArithmeticWord', pos: word.pos, end: word.end, value: written },
    line,
  ).value;
  return value === undefined ? undefined : Number(value);
}

function spendOn(run: Run, whole: string, line: number): void {
  run.budget.spend('characters', whole.length, line);
  run.budget.spend('steps', 1 + Math.floor(whole.length / 16), line);
}

/** The expansion as the script spells it. When only unset variables are missing, it stays one of those. */
function unknownForm(part: ParameterExpansionPart, line: number): Value {
  return [{ unknown: part.text, line, why: 'expression', name: part.parameter }];
}
