import type { OptionValue } from '../../study/settings.ts';

/**
 * A mapping as YAML 1.1, one key a line, its value in JSON's manner. ms-swift reads its file so, by PyYAML, where a bare
 * `no` is false, `=` an error, `<<` a merge and `1e-8` a text: every text is quoted, and an exponent follows a point.
 */
export function yaml11(values: Record<string, OptionValue>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${inline(value)}\n`)
    .join('');
}

function inline(value: OptionValue): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return String(value).replace(/^(-?\d+)e/, '$1.0e');
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${quoted(key)}: ${inline(inner)}`);
  return `{${pairs.join(', ')}}`;
}

/** What PyYAML refuses, or takes for the end of a line, is escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
