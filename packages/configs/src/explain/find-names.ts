import { distance } from 'fastest-levenshtein';
import { nearestNames } from '../study/nearest.ts';

/** A name as people bring it from a command line or a launch script. */
export function bareName(written: string): string {
  return written
    .trim()
    .replace(/^(--|\+\+?|~)/, '')
    .replace(/=.*$/, '');
}

/** The name itself where it exists, else all that end in it after a dot. Dashes count as underscores. */
export function findNames(written: string, names: readonly string[]): { exact: string[]; tails: string[] } {
  const wanted = plain(bareName(written));
  const exact = names.filter((name) => plain(name) === wanted);
  const tails = wanted === '' ? [] : names.filter((name) => plain(name).endsWith(`.${wanted}`));
  return { exact, tails };
}

/** The names that were most likely meant, the nearest first; a name of several steps may be known by its end. */
export function namesNear(written: string, names: readonly string[], count = 5): string[] {
  const wanted = plain(bareName(written));
  const steps = wanted.split('.').length;
  const ends = new Map<string, string[]>();
  for (const name of names) {
    for (const end of new Set([plain(name), plain(name.split('.').slice(-steps).join('.'))]))
      ends.set(end, [...(ends.get(end) ?? []), name]);
  }
  const close = nearestNames(wanted, ends.keys());
  const holding = wanted.length < 4 ? [] : [...ends.keys()].filter((end) => end.includes(wanted));
  const sorted = holding.sort((a, b) => distance(a, wanted) - distance(b, wanted));
  return [...new Set([...close, ...sorted].flatMap((end) => ends.get(end) ?? []))].slice(0, count);
}

function plain(name: string): string {
  return name.replaceAll('-', '_').toLowerCase();
}
