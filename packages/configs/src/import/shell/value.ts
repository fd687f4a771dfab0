/**
 * Why a piece of a word cannot be known without running the script: a variable that nobody set, an argument of the
 * script, a variable that every shell has, a command's output, an operation on something unknown.
 */
export type Why = 'unset' | 'argument' | 'environment' | 'command' | 'expression';

export type Text = { text: string; line: number };
/**
 * `unknown` is how the script spells it. `splits`: unquoted, so it may be no word or many. `unset`: what it comes to
 * when nobody sets it, if that is not the empty text.
 */
export type Unknown = {
  unknown: string;
  line: number;
  why: Why;
  name?: string;
  splits?: true;
  unset?: string;
};
export type Piece = Text | Unknown;

/** What a variable or a word holds: known text and unknown pieces, in order. */
export type Value = readonly Piece[];

/** A word after every expansion, as a command would receive it. */
export type Word = { value: Value; line: number; column: number; glob?: true };

export const text = (written: string, line: number): Value => [{ text: written, line }];

export const isUnknown = (piece: Piece): piece is Unknown => 'unknown' in piece;

export const unknownsIn = (value: Value): Unknown[] => value.filter(isUnknown);

/** The text, if every piece of it is known. */
export function known(value: Value): string | undefined {
  let all = '';
  for (const piece of value) {
    if (isUnknown(piece)) return undefined;
    all += piece.text;
  }
  return all;
}

/** The text with unknown pieces as the script spells them. */
export function spell(value: Value): string {
  return value.map((piece) => (isUnknown(piece) ? piece.unknown : piece.text)).join('');
}

export function lengthOf(value: Value): number {
  return value.reduce((sum, piece) => sum + (isUnknown(piece) ? piece.unknown : piece.text).length + 1, 0);
}

/** True when only variables that nobody set are unknown: as the script stands, they would be empty. */
export const onlyUnset = (value: Value): boolean =>
  unknownsIn(value).every(({ why }) => why === 'unset' || why === 'argument');

/** The text with variables that nobody set as empty; undefined when something else is unknown. */
export function asUnset(value: Value): string | undefined {
  return onlyUnset(value)
    ? value.map((piece) => (isUnknown(piece) ? (piece.unset ?? '') : piece.text)).join('')
    : undefined;
}

/** The same value with its unknown pieces within quotes: each exactly a part of one word. */
export function quoted(value: Value): Value {
  return value.map((piece) => {
    if (!isUnknown(piece) || !piece.splits) return piece;
    const { splits: _, ...whole } = piece;
    return whole;
  });
}

export function join(values: readonly Value[], separator: string): Value {
  return values.flatMap((value, i) => {
    const line = value[0]?.line ?? 1;
    return i > 0 && separator !== '' ? [{ text: separator, line }, ...value] : value;
  });
}
