import { distance } from 'fastest-levenshtein';

/**
 * The name a person most likely meant, or undefined when none is close.
 * Close means: at most a third of the letters differ, and never more than four.
 */
export function nearestName(wrong: string, valid: Iterable<string>): string | undefined {
  const limit = Math.min(4, Math.max(1, Math.floor(wrong.length / 3)));
  let best: { name: string; edits: number } | undefined;
  for (const name of valid) {
    if (Math.abs(name.length - wrong.length) > limit) continue;
    const edits = distance(wrong.toLowerCase(), name.toLowerCase());
    if (edits <= limit && (best === undefined || edits < best.edits)) best = { name, edits };
  }
  return best?.name;
}

/** "Did you mean X?" or, when nothing is close, the list of what is allowed (if it is short). */
export function suggestName(wrong: string, valid: readonly string[]): string {
  const near = nearestName(wrong, valid);
  if (near !== undefined) return `Did you mean \`${near}\`?`;
  if (valid.length === 0) return 'Nothing is defined there.';
  return valid.length <= 12 ? `Allowed: ${valid.join(', ')}.` : '';
}
