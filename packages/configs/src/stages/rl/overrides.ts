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
  return isBareWord(value) ? value : quote(value);
}

/** Begins with a letter, so that it is no number; the rest is what Hydra takes unquoted. */
function isBareWord(text: string): boolean {
  return /^[A-Za-z_][\w./@-]*$/.test(text) && !/^(null|true|false|nan|inf)$/i.test(text);
}

/** Hydra unescapes only a quote and the backslashes right before one, so only these are escaped. */
function quote(text: string): string {
  return `'${text.replaceAll(/(\\*)('|$)/g, (_, slashes, mark) => slashes + slashes + (mark && "\\'"))}'`;
}
