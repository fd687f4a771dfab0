import type { OptionValue } from '../../study/settings.ts';

/** A Hydra override: `+` adds a key that the composed tree lacks. */
export type Override = { key: string; add?: true; value: OptionValue };

/** `key=value` by Hydra's override grammar. */
export function overrideText({ key, add, value }: Override): string {
  return `${add ? '+' : ''}${key}=${hydraValue(value)}`;
}

/** A value in Hydra's grammar; a text that could be read as anything else is quoted. */
export function hydraValue(value: OptionValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(hydraValue).join(',')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${hydraValue(inner)}`)
      .join(', ')}}`;
  }
  return isBareWord(value) ? value : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function isBareWord(text: string): boolean {
  return /^[A-Za-z_./][\w./@-]*$/.test(text) && !/^(null|true|false|nan|inf)$/i.test(text);
}
