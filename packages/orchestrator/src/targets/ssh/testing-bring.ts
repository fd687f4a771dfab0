import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratch } from '../../place/testing.ts';
import type { Held } from '../target.ts';

export const along = () => {
  const lines: string[] = [];
  return { say: (line: string) => void lines.push(line), signal: new AbortController().signal, lines };
};
/** Of a line that comes back soon. */
export const patience = { pause: 20, most: 60_000 };

export const sent = (here: string, digest: string | null): Held => ({
  kind: 'path',
  path: 'model',
  here,
  digest,
  via: 'rsync',
});
export const noOther = async (): Promise<never> => {
  throw new TypeError('no other node is to be asked');
};

export async function model(): Promise<string> {
  const folder = await scratch();
  await mkdir(join(folder, 'a'));
  await writeFile(join(folder, 'a', 'weights.bin'), randomBytes(3_000_000));
  await writeFile(join(folder, 'a.json'), '{}');
  await writeFile(join(folder, 'ü leer'), '');
  return folder;
}
