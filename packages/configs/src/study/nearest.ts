import { distance } from 'fastest-levenshtein';

/**
 * The names a person most likely meant: all that are equally near, none when none is close.
 * Close means: at most a third of the letters differ, never more than four; one may always differ, so that short
 * names get a suggestion too, but not all of them. Two neighbours that changed places count as one difference.
 */
export function nearestNames(wrong: string, valid: Iterable<string>): string[] {
  const limit = Math.min(4, Math.max(1, Math.floor(wrong.length / 3)));
  let least = limit;
  let best: string[] = [];
  for (const name of valid) {
    if (Math.abs(name.length - wrong.length) > least) continue;
    const edits = editsBetween(wrong.toLowerCase(), name.toLowerCase());
    if (edits > least || edits >= Math.max(wrong.length, name.length)) continue;
    best = edits < least ? [name] : [...best, name];
    least = edits;
  }
  return best;
}

/** "Did you mean X?" or, when nothing is close, the list of what is allowed (if it is short). */
export function suggestName(wrong: string, valid: readonly string[]): string {
  const near = nearestNames(wrong, valid).slice(0, 4);
  if (near.length > 0) return `Did you mean ${near.map((name) => `\`${name}\``).join(' or ')}?`;
  if (valid.length === 0) return 'Nothing is defined there.';
  return valid.length <= 24 ? `Allowed: ${valid.join(', ')}.` : '';
}

function editsBetween(a: string, b: string): number {
  return areSwapped(a, b) ? 1 : distance(a, b);
}

/** Whether the two differ by one pair of neighbours that changed places: the commonest slip of typing. */
function areSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = [...a].findIndex((letter, i) => letter !== b[i]);
  return at >= 0 && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
