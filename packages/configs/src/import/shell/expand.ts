import type { Word as AstWord, WordPart } from 'unbash';
import { compute } from './arithmetic.ts';
import { braceWords } from './braces.ts';
import { type Expansion, expandParameter, expandSimple } from './parameter.ts';
import { type Pattern, toPattern } from './pattern.ts';
import type { Run } from './run.ts';
import { charge, separators, splitWords } from './split.ts';
import { isUnknown, join, type Piece, quoted, type Value, type Word } from './value.ts';

/** One stretch of a word: a piece, whether the shell splits it at blanks, or the border between two words. */
export type Segment = { piece: Piece; split: boolean; literal?: true } | 'border';

const whole = (value: Value): Segment[] => value.map((piece) => ({ piece, split: false }));

/** The words that a command receives for one written word: none, one or many. */
export function expandWord(run: Run, word: AstWord): Word[] {
  const { line, column } = run.lines.at(word.pos);
  return run.budget.nested(line, () => {
    const braces = word.parts?.some((part) => part.type === 'BraceExpansion')
      ? braceWords(run, word, line)
      : undefined;
    if (braces) {
      return braces.flatMap((each) => splitWords(run, segmentsOf(run, each, line), line, column));
    }
    const words = splitWords(run, segmentsOf(run, word, line), line, column);
    const glob = word.parts?.some((part) => part.type === 'Glob' && part.kind !== 'bracket');
    return glob ? words.map((each) => ({ ...each, glob: true as const })) : words;
  });
}

/** The value of a word where the shell does not split it: an assignment, the subject of `case`. */
export function expandOne(run: Run, word: AstWord): Value {
  const line = run.lines.lineAt(word.pos);
  return run.budget.nested(line, () => oneValue(run, segmentsOf(run, word, line), line));
}

/** The same for bare parts, as here-documents and arithmetic hold them. */
export function expandValue(run: Run, parts: readonly WordPart[], line: number): Value {
  return oneValue(
    run,
    parts.flatMap((part) => expandPart(run, part, true, line)),
    line,
  );
}

/** A word as a glob pattern; undefined when it holds something unknown. */
export function expandPattern(run: Run, word: AstWord): Pattern | undefined {
  const line = run.lines.lineAt(word.pos);
  const segments = segmentsOf(run, word, line);
  const pieces: { text: string; quoted: boolean }[] = [];
  for (const segment of segments) {
    if (segment === 'border') continue;
    if (isUnknown(segment.piece)) return undefined;
    pieces.push({ text: segment.piece.text, quoted: !segment.split });
  }
  return toPattern(pieces);
}

/** Matching costs a look at each character for each place the pattern can be at. */
export function spendMatch(run: Run, subject: string, pattern: Pattern, line: number): void {
  const stars = pattern.reduce((sum, part) => sum + (part === 'STAR' ? 1 : 0), 1);
  run.budget.spend('steps', 1 + Math.floor((subject.length * stars + pattern.length) / 64), line);
}

function oneValue(run: Run, segments: Segment[], line: number): Value {
  const value = segments.map((each): Piece => (each === 'border' ? { text: ' ', line } : each.piece));
  charge(run, value, line);
  return quoted(value);
}

function segmentsOf(run: Run, word: AstWord, line: number): Segment[] {
  const { parts } = word;
  const segments = parts
    ? parts.flatMap((part) => expandPart(run, part, false, line))
    : literal(run, word.value, line);
  const [first] = segments;
  // Only a tilde that is written bare stands for the home folder: neither `'~'` nor `\~`.
  const bare = !parts || parts[0]?.type === 'Literal' ? /^([A-Za-z_]\w*=)?~(?=\/|$)/.exec(word.text) : null;
  if (!bare || !first || first === 'border' || isUnknown(first.piece)) return segments;
  const before: Segment[] = bare[1] ? [{ piece: { text: bare[1], line }, split: false }] : [];
  const rest: Segment = {
    piece: { ...first.piece, text: first.piece.text.slice(bare[0].length) },
    split: false,
  };
  return [
    ...before,
    ...variable(run, expandSimple(run, 'HOME', line), true, line),
    rest,
    ...segments.slice(1),
  ];
}

/** Literal text of the script; unknown pieces that were parked in it come back. */
function literal(run: Run, written: string, line: number): Segment[] {
  if (run.parked.length === 0) return [{ piece: { text: written, line }, split: false, literal: true }];
  return written.split(/(\uE000\d+\uE001)/).flatMap((part): Segment[] => {
    const parked = /^\uE000(\d+)\uE001$/.exec(part)?.[1];
    const value = parked === undefined ? undefined : run.parked[Number(parked)];
    return value
      ? whole(value)
      : part === ''
        ? []
        : [{ piece: { text: part, line }, split: false, literal: true }];
  });
}

function expandPart(run: Run, part: WordPart, inQuotes: boolean, line: number): Segment[] {
  switch (part.type) {
    case 'Literal':
      return inQuotes ? quotedLiteral(run, part) : literal(run, part.value, run.lines.lineAt(part.pos));
    case 'Glob': {
      if (part.kind !== 'bracket') return [{ piece: { text: part.text, line }, split: true }];
      // `x=['a','b']`: matches no file as a rule, and then its quotes go like any others.
      const edge = (text: string): Segment => ({ piece: { text, line }, split: true });
      return [edge('['), ...part.parts.flatMap((each) => expandPart(run, each, inQuotes, line)), edge(']')];
    }
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [{ piece: { text: part.text, line }, split: true }];
    case 'SingleQuoted':
    case 'AnsiCQuoted': {
      const at = run.lines.lineAt(part.pos);
      return withinQuotes(literal(run, part.value, at), at);
    }
    case 'DoubleQuoted':
    case 'LocaleString': {
      const inner = part.parts.flatMap((child) => expandPart(run, child, true, line));
      // `"$@"` without arguments leaves no word at all; `""` leaves an empty one.
      return part.parts.length > 0 ? withinQuotes(inner) : withinQuotes(inner, line);
    }
    case 'SimpleExpansion':
      return variable(run, expandSimple(run, part.text.slice(1), line), inQuotes, line);
    case 'ParameterExpansion':
      return variable(run, expandParameter(run, part, line), inQuotes, line);
    case 'CommandExpansion': {
      const output = part.script && run.capture(part.script);
      return expanded(output ?? [{ unknown: part.text, line, why: 'command' }], inQuotes);
    }
    case 'ArithmeticExpansion': {
      const result = part.expression ? compute(run, part.expression, line).value : 0n;
      const piece: Piece =
        result === undefined
          ? { unknown: part.text, line, why: 'expression' }
          : { text: String(result), line };
      return [{ piece, split: false }];
    }
    case 'ProcessSubstitution':
      return [{ piece: { unknown: part.text, line, why: 'command' }, split: false }];
  }
}

/** Quoted text is not split, whatever is around it. With `emptyAt`, none of it is still an empty text. */
function withinQuotes(segments: readonly Segment[], emptyAt?: number): Segment[] {
  if (segments.length === 0 && emptyAt !== undefined)
    return [{ piece: { text: '', line: emptyAt }, split: false }];
  return segments.map((each) => (each === 'border' ? each : { piece: each.piece, split: false }));
}

function expanded(value: Value, inQuotes: boolean): Segment[] {
  if (inQuotes)
    return value.length > 0 ? whole(quoted(value)) : [{ piece: { text: '', line: 1 }, split: false }];
  return value.map((piece) => ({
    piece: isUnknown(piece) ? { ...piece, splits: true } : piece,
    split: true,
  }));
}

/** `$x`, `"${a[@]}"`, `"$@"`: a list within quotes gives a word for each element, and none when it is empty. */
function variable(run: Run, expansion: Expansion, inQuotes: boolean, line: number): Segment[] {
  if ('value' in expansion) return expanded(expansion.value, inQuotes);
  if ('operand' in expansion) {
    return segmentsOf(run, expansion.operand, line).map((each) =>
      each === 'border' || !each.literal ? each : { ...each, split: !inQuotes },
    );
  }
  const { list } = expansion;
  if (expansion.joined && inQuotes) return expanded(join(list, separators(run).slice(0, 1)), true);
  return list.flatMap((each, i): Segment[] => {
    const empty: Segment[] = [{ piece: { text: '', line }, split: false }];
    const element = !inQuotes ? expanded(each, false) : each.length > 0 ? whole(each) : empty;
    return i > 0 ? ['border', ...element] : element;
  });
}

/** A text within double quotes, in pieces by line, so that options on lines of their own keep them. */
function quotedLiteral(run: Run, part: { pos: number; text: string; value: string }): Segment[] {
  const lines = part.text.split('\\\n');
  if (lines.length === 1 || part.text.includes('\\\\'))
    return literal(run, part.value, run.lines.lineAt(part.pos));
  let at = part.pos;
  return lines.flatMap((each) => {
    const line = run.lines.lineAt(at);
    at += each.length + 2;
    return literal(run, each.replaceAll(/\\([$`"\\])/g, '$1'), line);
  });
}
