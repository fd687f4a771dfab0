import { isUnknown, type Unknown, type Value } from './shell/value.ts';
import type { UnknownPiece } from './trainer-command.ts';

/** The unknown pieces of a value, as a launch carries them. */
export function unknownPieces(value: Value): UnknownPiece[] {
  return value.filter(isUnknown).map(({ unknown, line, why, name }: Unknown) => ({
    unknown,
    line,
    why,
    ...(name === undefined ? {} : { name }),
  }));
}

/** How to give what is not known: `--set NAME=…`, where a name would do. */
export function setHint(pieces: readonly UnknownPiece[]): string | undefined {
  const names = pieces.flatMap(({ name, why }) =>
    name && /^\w+$/.test(name) && why !== 'command' ? [name] : [],
  );
  return names.length === 0
    ? undefined
    : `Give ${[...new Set(names)].map((name) => `\`--set ${name}=…\``).join(', ')}.`;
}

/** A word that may stand for no word or for many: unquoted, and nothing of it known. */
export const isOpen = (value: Value): boolean =>
  value.length === 1 && value.every((piece) => isUnknown(piece) && piece.splits === true);

/** The beginning of a value up to a character of its known text, and the rest; undefined without that character. */
export function splitValue(value: Value, at: string): { before: string; after: Value } | undefined {
  let before = '';
  for (const [i, piece] of value.entries()) {
    if (isUnknown(piece)) return undefined;
    const end = piece.text.indexOf(at);
    if (end < 0) {
      before += piece.text;
      continue;
    }
    const rest = piece.text.slice(end + at.length);
    const others = value.slice(i + 1);
    return {
      before: before + piece.text.slice(0, end),
      after: rest === '' ? others : [{ text: rest, line: piece.line }, ...others],
    };
  }
  return undefined;
}
