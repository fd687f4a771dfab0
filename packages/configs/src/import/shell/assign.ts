import type { Assignment, Word } from 'unbash';
import { compute } from './arithmetic.ts';
import { expandOne, expandWord } from './expand.ts';
import type { Run } from './run.ts';
import type { Items } from './state.ts';
import { isUnknown, known, lengthOf, spell, text, type Value } from './value.ts';

export type AssignHow = { local?: boolean; exported?: boolean; kind?: 'list' | 'map'; integer?: boolean };

/** `x=…`, `x+=…`, `x[i]=…`, `x=(…)`. */
export function assign(run: Run, node: Assignment, how: AssignHow = {}): void {
  const line = run.lines.lineAt(node.pos);
  const before = run.state.find(node.name)?.held;
  noteGiven(run, node.name, line);
  if (node.value.type === 'ArrayValue') {
    const items: Items = { kind: how.kind ?? (before?.kind === 'map' ? 'map' : 'list'), items: new Map() };
    if (node.append && before) {
      for (const [key, value] of before.kind === 'scalar' ? [['0', before.value] as const] : before.items)
        items.items.set(key, value);
    }
    for (const element of node.value.elements) fill(run, items, element, line);
    run.budget.check('items', items.items.size, line);
    run.budget.spend('steps', 1 + items.items.size, line);
    run.state.assign(node.name, items, line, how);
    return;
  }
  const written = expandOne(run, node.value);
  if (node.index) {
    const key = known(expandOne(run, node.index)) ?? '?';
    const items: Items =
      before && before.kind !== 'scalar'
        ? { kind: before.kind, items: new Map(before.items) }
        : { kind: 'list', items: new Map(before ? [['0', before.value]] : []) };
    const at = items.kind === 'list' ? indexKey(run, key, line) : key;
    items.items.set(at, node.append ? [...(items.items.get(at) ?? []), ...written] : written);
    run.budget.check('items', items.items.size, line);
    run.budget.spend('steps', 1 + items.items.size, line);
    run.state.assign(node.name, items, line, how);
    return;
  }
  if (before && before.kind !== 'scalar' && node.append) {
    const items = new Map(before.items);
    items.set('0', [...(items.get('0') ?? []), ...written]);
    run.state.assign(node.name, { ...before, items }, line, how);
    return;
  }
  const fresh = before === undefined ? withoutItself(run, node.name, written, line) : written;
  const value = node.append && before?.kind === 'scalar' ? [...before.value, ...written] : fresh;
  run.budget.check('value', lengthOf(value), line);
  run.budget.spend('characters', lengthOf(value), line);
  run.state.assign(
    node.name,
    { kind: 'scalar', value: how.integer ? evaluated(run, value, line) : value },
    line,
    how,
  );
}

/** `X="$X more"` begins a list of words: a name that nobody set is none of them. */
function withoutItself(run: Run, name: string, written: Value, line: number): Value {
  const [first, second] = written;
  const begins =
    first !== undefined &&
    isUnknown(first) &&
    first.why === 'unset' &&
    first.name === name &&
    second !== undefined &&
    !isUnknown(second) &&
    /^\s/.test(second.text);
  if (!begins) return written;
  run.notes.add({
    line,
    code: 'decided',
    message: `\`${name}\` gathers words and is set nowhere before; it is taken to begin empty.`,
    hint: `Give \`--set ${name}=…\` if it does not.`,
  });
  return written.slice(1);
}

function evaluated(run: Run, value: Value, line: number): Value {
  const whole = known(value);
  if (whole === undefined) return value;
  const result = compute(run, { type: 'ArithmeticWord', pos: 0, end: 0, value: whole }, line).value;
  return result === undefined ? value : text(String(result), line);
}

function fill(run: Run, into: Items, element: Word, line: number): void {
  const keyed = /^\[([^\]]+)\]=/.exec(element.text);
  if (keyed?.[1]) {
    const [word] = expandWord(run, element);
    const value = word?.value ?? [];
    const whole = spell(value);
    const close = whole.indexOf(']=');
    const key = whole.slice(1, close).replaceAll(/["']/g, '');
    const first = value[0];
    const rest =
      first && !('unknown' in first) && first.text.includes(']=')
        ? [{ ...first, text: first.text.slice(first.text.indexOf(']=') + 2) }, ...value.slice(1)]
        : text(whole.slice(close + 2), line);
    into.items.set(into.kind === 'map' ? key : indexKey(run, key, line), rest);
    return;
  }
  for (const { value } of expandWord(run, element)) into.items.set(String(nextIndex(into)), value);
}

function nextIndex({ items }: Items): number {
  const last = [...items.keys()].at(-1);
  return last === undefined ? 0 : Number(last) + 1;
}

function indexKey(run: Run, key: string, line: number): string {
  const index = compute(run, { type: 'ArithmeticWord', pos: 0, end: 0, value: key }, line).value;
  return index === undefined ? key : String(index);
}

/** A name given with `--set` acts like the environment: the script's own assignment wins, which should be said. */
export function noteGiven(run: Run, name: string, line: number): void {
  if (run.given.get(name) !== false) return;
  run.given.set(name, true);
  run.notes.add({
    line,
    code: 'set-unused',
    message: `the script sets ${name} itself before it reads it, so \`--set ${name}=…\` changes nothing.`,
  });
}
