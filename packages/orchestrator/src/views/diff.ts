import type { Difference, DifferenceGroup, StudyDiff } from '@her/configs';

export type FoundDiff = StudyDiff & { edited: { a: string[]; b: string[] } };

/** What two studies do differently, as lines. */
export function diffLines({ a, b }: { a: string; b: string }, diff: FoundDiff): string[] {
  if (diff.same) return [`${a} and ${b} do the same.`];
  const parts = [
    ...only(a, diff.onlyA),
    ...only(b, diff.onlyB),
    ...changed(a, diff.edited.a),
    ...changed(b, diff.edited.b),
    ...(diff.code ? [['her_workers (our stages and reward functions): another version']] : []),
    ...diff.groups.map(groupLines),
  ];
  return [`a  ${a}`, `b  ${b}`, ...parts.flatMap((part) => ['', ...part])];
}

function only(side: string, names: readonly string[]): string[][] {
  if (names.length === 0) return [];
  return [[`only in ${side} (${names.length}): ${names.join(', ')}`]];
}

function changed(side: string, paths: readonly string[]): string[][] {
  return paths.length === 0 ? [] : [[`changed by hand in ${side}, and not compared: ${paths.join(', ')}`]];
}

function groupLines({ jobs, differences }: DifferenceGroup): string[] {
  const [first] = differences;
  if (first !== undefined && differences.length === 1) return [`${jobs}: ${line(first)}`];
  return [jobs, ...differences.map((difference) => `  ${line(difference)}`)];
}

function line({ aspect, name, a, b, origins }: Difference): string {
  const what =
    aspect === 'setting' || aspect === 'trainer' || aspect === 'nodes' ? name : `${aspect} ${name}`;
  if (aspect === 'file') {
    if (a === null || b === null) return `${what}: only in ${a === null ? 'b' : 'a'}`;
    return `${what}: other bytes, from the same settings`;
  }
  return `${what}: ${say(a)} → ${say(b)}${origins === undefined ? '' : originText(origins)}`;
}

function originText({ a, b }: { a: string | null; b: string | null }): string {
  if (a === b) return `  (${a})`;
  return `  (${a ?? '–'} → ${b ?? '–'})`;
}

function say(value: unknown): string {
  if (value === null) return '–';
  if (typeof value === 'number') return shorter(String(value), value.toExponential());
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `1e-5`, not `0.00001`; `0.05`, not `5e-2`. */
function shorter(plain: string, exponential: string): string {
  return exponential.length < plain.length - 1 ? exponential : plain;
}
