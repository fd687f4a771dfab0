import type { Flow } from './flow.ts';
import type { Run } from './run.ts';
import type { Place } from './simple-command.ts';
import { maybe, no, yes } from './state.ts';
import { isUnknown, known, type Piece, text, type Value, type Word } from './value.ts';

/** `read -r a b`: a line of the input, cut at `$IFS`; without a known input, unknown values. */
export function readInput(run: Run, args: readonly Word[], { line }: Place): Flow | undefined {
  let list = false;
  const names: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = known(args[at]?.value ?? []) ?? '';
    if (/^-[a-z]+$/.test(word)) {
      if (word.includes('a')) list = true;
      else if (/[pdnNtu]$/.test(word)) at += 1;
    } else if (/^[A-Za-z_]\w*$/.test(word)) names.push(word);
  }
  const first = names[0] ?? 'REPLY';
  const unknown = (name: string): Value => [{ unknown: `\${${name}}`, line, why: 'command', name }];
  if (!run.input) {
    for (const name of names.length > 0 ? names : [first]) {
      const value = unknown(name);
      const items = new Map([
        ['0', value.map((piece): Piece => (isUnknown(piece) ? { ...piece, splits: true } : piece))],
      ]);
      run.state.assign(name, list ? { kind: 'list', items } : { kind: 'scalar', value }, line);
    }
    run.state.status = maybe;
    return undefined;
  }
  const { head, rest } = cutLine(run.input);
  run.state.status = run.input.length > 0 ? yes : no;
  run.input = rest;
  const ifs = run.state.find('IFS')?.held;
  const blanks = (ifs?.kind === 'scalar' ? known(ifs.value) : undefined) ?? ' \t\n';
  const fields = cut(head, blanks, list ? Number.POSITIVE_INFINITY : Math.max(1, names.length));
  run.budget.check('items', fields.length, line);
  run.budget.spend('steps', 1 + fields.length, line);
  if (list) {
    run.state.assign(
      first,
      { kind: 'list', items: new Map(fields.map((field, i) => [String(i), field])) },
      line,
    );
    return undefined;
  }
  for (const [i, name] of (names.length > 0 ? names : [first]).entries()) {
    run.state.assign(name, { kind: 'scalar', value: fields[i] ?? [] }, line);
  }
  return undefined;
}

/** `mapfile -t a`: every line of the input. */
export function readLines(run: Run, args: readonly Word[], { line }: Place): Flow | undefined {
  const name = known(args.at(-1)?.value ?? []) ?? 'MAPFILE';
  const target = /^[A-Za-z_]\w*$/.test(name) ? name : 'MAPFILE';
  run.state.status = yes;
  const items = new Map<string, Value>();
  if (!run.input)
    items.set('0', [{ unknown: `\${${target}[@]}`, line, why: 'command', name: target, splits: true }]);
  for (let input: Value = run.input ?? []; input.length > 0; ) {
    const { head, rest } = cutLine(input);
    items.set(String(items.size), head);
    run.budget.check('items', items.size, line);
    run.budget.spend('steps', 1, line);
    input = rest;
  }
  run.state.assign(target, { kind: 'list', items }, line);
  return undefined;
}

function cutLine(input: Value): { head: Value; rest: Value } {
  for (const [i, piece] of input.entries()) {
    const end = isUnknown(piece) ? -1 : piece.text.indexOf('\n');
    if (isUnknown(piece) || end < 0) continue;
    const before = piece.text.slice(0, end);
    const after = piece.text.slice(end + 1);
    return {
      head: [...input.slice(0, i), ...(before === '' ? [] : text(before, piece.line))],
      rest: [...(after === '' ? [] : text(after, piece.line + 1)), ...input.slice(i + 1)],
    };
  }
  return { head: input, rest: [] };
}

/** Fields of a line; the last one allowed takes the rest of it. */
function cut(line: Value, blanks: string, most: number): Value[] {
  const fields: Value[] = [];
  let current: Piece[] = [];
  for (const piece of line) {
    if (isUnknown(piece)) {
      current.push(piece);
      continue;
    }
    let word = '';
    for (const char of piece.text) {
      if (!blanks.includes(char) || (fields.length >= most - 1 && (word !== '' || current.length > 0))) {
        word += char;
        continue;
      }
      if (word !== '') current.push({ text: word, line: piece.line });
      if (current.length > 0 || !' \t\n'.includes(char)) fields.push(current);
      [current, word] = [[], ''];
    }
    if (word !== '') current.push({ text: word, line: piece.line });
  }
  if (current.length > 0) fields.push(current);
  return fields;
}
