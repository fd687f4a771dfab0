import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type KitDescription, kitSchema } from '@her/configs';
import { HerError } from '../errors.ts';
import { readPlainFile } from '../plain-file.ts';

/** The kit in a folder, or undefined where the folder has no `kit.json`. */
export async function readKit(folder: string): Promise<KitDescription | undefined> {
  const file = join(folder, 'kit.json');
  if ((await lstat(file).catch(() => undefined)) === undefined) return undefined;
  try {
    const kit = kitSchema.parse(JSON.parse((await readPlainFile(file)).toString('utf8')));
    const outside = Object.keys(kit.files).find((path) => !isInside(path));
    if (outside !== undefined) throw new Error(`it lists ${outside}`);
    return kit;
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new HerError('KIT_UNREADABLE', `${file} is not what \`her render\` writes: ${why}`, { cause });
  }
}

/** Whoever wrote the list, nothing outside of the kit is touched by it. */
function isInside(path: string): boolean {
  return (
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\0')
  );
}
