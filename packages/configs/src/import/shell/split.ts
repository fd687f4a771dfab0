import type { Segment } from './expand.ts';
import type { Run } from './run.ts';
import { isUnknown, known, lengthOf, type Piece, type Value, type Word } from './value.ts';

/** The blanks that unquoted expansions are split at: `$IFS`. */
export function separators(run: Run): string {
  const ifs = run.state.find('IFS')?.held;
  return (ifs?.kind === 'scalar' ? known(ifs.value) : undefined) ?? ' \t\n';
}

/** Tells the budget what an expansion made. */
export function charge(run: Run, value: Value, line: number): void {
  const length = lengthOf(value);
  run.budget.spend('characters', length, line);
  run.budget.check('value', length, line);
}

/** Cuts segments into words at borders and at the blanks of unquoted expansions. */
export function splitWords(run: Run, segments: readonly Segment[], line: number, column: number): Word[] {
  const words: Word[] = [];
  const blanks = separators(run);
  let current: Piece[] | undefined;
  const add = (piece: Piece) => {
    current ??= [];
    current.push(piece);
  };
  const close = () => {
    const at = current?.[0]?.line ?? line;
    if (current) words.push({ value: current, line: at, column: at === line ? column : 1 });
    current = undefined;
  };
  for (const segment of segments) {
    if (segment === 'border') close();
    else if (isUnknown(segment.piece) || !segment.split) add(segment.piece);
    else {
      let { line: at } = segment.piece;
      for (const part of fieldsOf(segment.piece.text, blanks)) {
        if (part.blank && (current || part.hard)) {
          current ??= [];
          close();
        } else if (!part.blank) add({ text: part.text, line: at });
        at += part.text.split('\n').length - 1;
      }
    }
  }
  close();
  run.budget.check('items', words.length, line);
  for (const word of words) charge(run, word.value, line);
  return words;
}

type Field = { text: string; blank: boolean; hard: boolean };

/** Runs of blanks and of other characters; a separator that is no blank (`IFS=,`) ends a word by itself. */
function fieldsOf(text: string, blanks: string): Field[] {
  const fields: Field[] = [];
  for (const char of text) {
    const blank = blanks.includes(char);
    const hard = blank && !' \t\n'.includes(char);
    const last = fields.at(-1);
    if (last && last.blank === blank && !last.hard && !hard) last.text += char;
    else fields.push({ text: char, blank, hard });
  }
  return fields;
}
