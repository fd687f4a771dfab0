/** A part of a glob pattern: a character, any one, any run of them, or one out of a set. */
type Part = string | 'ANY' | 'STAR' | { not: boolean; of: (char: string) => boolean };
export type Pattern = readonly Part[];

/** A pattern from pieces; in quoted ones `*`, `?` and `[` stand for themselves. */
export function toPattern(pieces: readonly { text: string; quoted: boolean }[]): Pattern {
  const chars = pieces.flatMap(({ text, quoted }) => [...text].map((char) => ({ char, quoted })));
  const parts: Part[] = [];
  for (let i = 0; i < chars.length; i++) {
    const { char, quoted } = chars[i] ?? { char: '', quoted: true };
    const following = chars[i + 1];
    if (quoted) parts.push(char);
    else if (char === '*') parts.push('STAR');
    else if (char === '?') parts.push('ANY');
    else if (char === '\\' && following) {
      parts.push(following.char);
      i += 1;
    } else {
      // A `]` right after the opening is one of the set.
      const first = i + (/[!^]/.test(following?.char ?? '') ? 3 : 2);
      const close =
        char === '[' ? chars.findIndex((each, at) => at >= first && !each.quoted && each.char === ']') : -1;
      if (close < 0) parts.push(char);
      else {
        parts.push(set(chars.slice(i + 1, close).map((each) => each.char)));
        i = close;
      }
    }
  }
  return parts;
}

function set(chars: string[]): Part {
  const not = chars[0] === '!' || chars[0] === '^';
  const rest = not ? chars.slice(1) : chars;
  const named = /^\[:(\w+):$/.exec(rest.join(''))?.[1] ?? '';
  const ranges: [string, string][] = [];
  for (let i = 0; i < rest.length; i++) {
    const from = rest[i] ?? '';
    const to = rest[i + 2];
    if (rest[i + 1] === '-' && to !== undefined) {
      ranges.push([from, to]);
      i += 2;
    } else ranges.push([from, from]);
  }
  const kind = classes[named];
  return { not, of: (char) => (kind ? kind.test(char) : ranges.some(([a, b]) => a <= char && char <= b)) };
}

const classes: Record<string, RegExp> = {
  alpha: /[A-Za-z]/,
  digit: /\d/,
  alnum: /[A-Za-z0-9]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /\s/,
  punct: /[!-/:-@[-`{-~]/,
};

function takes(part: Part, char: string): boolean {
  if (part === 'ANY' || part === 'STAR') return true;
  return typeof part === 'string' ? part === char : part.of(char) !== part.not;
}

/** The lengths of all beginnings of `chars` (from `from`) that the pattern matches: one pass, no backtracking. */
export function matchedLengths(pattern: Pattern, chars: readonly string[], from = 0): number[] {
  const lengths: number[] = [];
  let states = closure(pattern, new Set([0]));
  for (let i = from; ; i++) {
    if (states.has(pattern.length)) lengths.push(i - from);
    const char = chars[i];
    if (char === undefined || states.size === 0) return lengths;
    const next = new Set<number>();
    for (const at of states) {
      const part = pattern[at];
      if (part !== undefined && takes(part, char)) next.add(part === 'STAR' ? at : at + 1);
    }
    states = closure(pattern, next);
  }
}

function closure(pattern: Pattern, states: Set<number>): Set<number> {
  for (const at of states) if (pattern[at] === 'STAR') states.add(at + 1);
  return states;
}

export function matchesWhole(pattern: Pattern, text: string): boolean {
  const chars = [...text];
  return matchedLengths(pattern, chars).at(-1) === chars.length;
}

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`. */
export function removeMatch(text: string, pattern: Pattern, operator: '#' | '##' | '%' | '%%'): string {
  const fromEnd = operator.startsWith('%');
  const chars = fromEnd ? [...text].reverse() : [...text];
  const lengths = matchedLengths(fromEnd ? pattern.toReversed() : pattern, chars);
  const length = (operator.length === 2 ? lengths.at(-1) : lengths[0]) ?? 0;
  const rest = chars.slice(length);
  return (fromEnd ? rest.reverse() : rest).join('');
}

/** `${x/p/r}`, `${x//p/r}`, `${x/#p/r}`, `${x/%p/r}`. `spend` is told how many characters are looked at. */
export function replaceMatch(
  text: string,
  pattern: Pattern,
  replacement: string,
  operator: '/' | '//' | '/#' | '/%',
  spend: (characters: number) => void,
): string {
  if (pattern.length === 0) return text;
  if (pattern.every((part) => typeof part === 'string' && part !== 'ANY' && part !== 'STAR')) {
    const literal = pattern.join('');
    if (operator === '//') return text.replaceAll(literal, () => replacement);
    if (operator === '/') return text.replace(literal, () => replacement);
  }
  const chars = [...text];
  if (operator === '/%') {
    const cut = removeMatch(text, pattern, '%%');
    return cut === text ? text : cut + replacement;
  }
  let made = '';
  for (let i = 0; i < chars.length; i++) {
    spend(chars.length - i);
    const length = matchedLengths(pattern, chars, i).at(-1) ?? 0;
    if (length > 0) {
      made += replacement;
      i += length - 1;
      if (operator !== '//') return made + chars.slice(i + 1).join('');
    } else {
      made += chars[i];
      if (operator === '/#') return text;
    }
  }
  return made;
}
