/** Any value of a study as a text, for comparing and showing; a mapping may hold a `toString` that is none. */
export function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? '') : String(value);
}
