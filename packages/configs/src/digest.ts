import { createHash } from 'node:crypto';

/** JSON with sorted keys and nothing between: one value, one text. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${stableJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** SHA-256 of a value's stable JSON, in hex. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(stableJson(value), 'utf8').digest('hex');
}
