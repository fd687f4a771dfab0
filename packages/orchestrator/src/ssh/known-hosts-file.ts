import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HerError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { stageFile } from '../new-file.ts';
import { systemWords } from '../system-error.ts';
import { withFileLock } from './file-lock.ts';
import { type KeyBlob, keyType } from './key-blob.ts';
import { findKnown, type KnownKey } from './known-hosts.ts';

export type Accepted = {
  /** As known_hosts has it: `10.77.0.1`, `[10.77.0.1]:2222`. */
  name: string;
  /** As people call it; goes into the remark at the end of the line. */
  host: string;
  keys: readonly KeyBlob[];
};

/**
 * Writes accepted keys into the project's known_hosts, whole or not at all.
 * @param replace what the file has of that name goes first
 * @returns the keys that went
 */
export async function acceptKeys(
  file: string,
  { name, host, keys }: Accepted,
  replace: boolean,
  now: Date = new Date(),
): Promise<KnownKey[]> {
  await makeFolder(dirname(file)).catch((cause) => {
    throw unwritable(file, cause);
  });
  return await withFileLock(file, async () => {
    const found = (await findKnown(name, [file])).filter(({ is }) => is === 'host');
    const gone = replace ? found.filter(({ blob }) => !keys.some((key) => key.equals(blob))) : [];
    const missing = keys.filter((key) => !found.some(({ blob }) => blob.equals(key)));
    if (gone.length === 0 && missing.length === 0) return [];
    try {
      const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ENOENT') return '';
        throw cause;
      });
      const kept = withoutName(text, new Set(gone.map(({ line }) => line)), name);
      const added = missing.map((key) => lineOf(name, key, `${host} ${now.toISOString().slice(0, 10)}`));
      const staged = await stageFile(file, [...kept, ...added, ''].join('\n'));
      await staged.put(true).finally(() => staged.drop());
      return gone;
    } catch (cause) {
      throw unwritable(file, cause);
    }
  });
}

function unwritable(file: string, cause: unknown): HerError {
  return new HerError('FILE_UNWRITABLE', `${file} cannot be written: ${systemWords(cause)}`, { cause });
}

/** `NAME TYPE BASE64 REMARK`. */
export function lineOf(name: string, key: KeyBlob, remark: string): string {
  return `${name} ${keyType(key)} ${key.toString('base64')} ${remark}`;
}

/**
 * The lines of a file, where those with these numbers speak of that name no more: a line that has other names too keeps
 * them, and one that means it by a pattern denies it from then on.
 */
export function withoutName(text: string, numbers: ReadonlySet<number>, name: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, at) => {
    if (!numbers.has(at + 1)) return [line];
    const [, names = '', rest = ''] = /^\s*(\S+)(\s.*)$/.exec(line) ?? [];
    const others = names.split(',').filter((other) => other.toLowerCase() !== name.toLowerCase());
    if (others.length === 0 || names.startsWith('|')) return [];
    const pattern = others.some((other) => /[*?]/.test(other));
    return [`${others.join(',')}${pattern ? `,!${name}` : ''}${rest}`];
  });
}
