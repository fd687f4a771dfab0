import { readFile } from 'node:fs/promises';
import { isHostName } from './jump.ts';

/** The names that `her host add` was given: they stand in the remark at the end of each line that it wrote. */
export async function remarkedHosts(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = text
    .split('\n')
    .flatMap((line) => /^[^#@\s]\S* \S+ \S+ (\S+) \d{4}-\d\d-\d\d\r?$/.exec(line)?.[1] ?? []);
  return [...new Set(found.filter(isHostName))];
}
