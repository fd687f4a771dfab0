/** What `ssh -G` says of a host, by keyword in small letters; a keyword that stands several times has several values. */
export type ConfigText = ReadonlyMap<string, readonly string[]>;

export function parseConfigText(text: string): ConfigText {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, word, value] = /^(\S+) (.*)$/.exec(line.replace(/\r$/, '')) ?? [];
    if (word === undefined || value === undefined) continue;
    const keyword = word.toLowerCase();
    const values = found.get(keyword);
    if (values === undefined) found.set(keyword, [value]);
    else values.push(value);
  }
  return found;
}

/** The one value of a keyword; null where it is unset or `none`. */
export function one(text: ConfigText, keyword: string): string | null {
  const value = text.get(keyword)?.[0];
  return value === undefined || value === '' || value.toLowerCase() === 'none' ? null : value;
}

/** All values of a keyword, without `none`. */
export function all(text: ConfigText, keyword: string): string[] {
  return (text.get(keyword) ?? []).filter((value) => value !== '' && value.toLowerCase() !== 'none');
}

export function isOn(text: ConfigText, keyword: string): boolean {
  return ['yes', 'true'].includes(text.get(keyword)?.[0] ?? '');
}

/** Seconds, or undefined where there is no such number. */
export function seconds(text: ConfigText, keyword: string): number | undefined {
  const value = one(text, keyword);
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** Files on one line: `ssh -G` writes no quotes, but what it writes there is absolute, so a blank before no slash is part of a name. */
export function files(text: ConfigText, keyword: string): string[] {
  const value = text.get(keyword)?.[0] ?? '';
  return value.split(/ (?=[/~]|none(?: |$))/).filter((file) => file !== '' && file !== 'none');
}

export function list(text: ConfigText, keyword: string): string[] {
  return (one(text, keyword) ?? '').split(',').filter((word) => word !== '');
}
