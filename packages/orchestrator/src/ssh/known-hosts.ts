import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { execa } from 'execa';
import { HerError } from '../errors.ts';
import { systemWords } from '../system-error.ts';
import { type KeyBlob, parsePublicKey } from './key-blob.ts';

/** A line of known_hosts that speaks of a host. */
export type KnownKey = {
  file: string;
  line: number;
  /** `authority`: the key signs the keys of hosts. */
  is: 'host' | 'authority' | 'revoked';
  type: string;
  blob: KeyBlob;
};

/** A name as known_hosts has it: with its port where that is not 22. */
export function knownName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/**
 * The lines of these files that speak of a host, as OpenSSH's own tool finds them: hashed names, patterns and negations
 * mean what they mean to `ssh`. A file that is not there has no lines.
 * @throws {HerError} `KNOWN_HOSTS_UNREADABLE` where a file is there and cannot be read
 */
export async function findKnown(name: string, files: readonly string[]): Promise<KnownKey[]> {
  return (await Promise.all(files.map((file) => findIn(name, file)))).flat();
}

async function findIn(name: string, file: string): Promise<KnownKey[]> {
  if (!(await isReadable(file))) return [];
  const found = await execa('ssh-keygen', ['-F', name, '-f', file], { reject: false, stdin: 'ignore' });
  if (found.exitCode === 0) return parseFound(found.stdout, file);
  if (found.exitCode === 1) return [];
  throw unreadable(file, found.stderr.trim().split('\n').at(-1) || found.originalMessage || '', found);
}

/** What `ssh-keygen -F` prints: a remark with the line's number and marker, then the line. */
export function parseFound(text: string, file: string): KnownKey[] {
  const keys: KnownKey[] = [];
  let line = 0;
  for (const row of text.split(/\r?\n/)) {
    const number = /^# Host .* found: line (\d+)/.exec(row)?.[1];
    if (number !== undefined) line = Number(number);
    if (row === '' || row.startsWith('#')) continue;
    const [, marker, rest = ''] = /^(?:(@\S+)\s+)?\S+\s+(.*)$/.exec(row) ?? [];
    const is = marker === undefined ? 'host' : markers[marker];
    const key = parsePublicKey(rest);
    if (is !== undefined && key !== undefined) keys.push({ file, line, is, ...key });
  }
  return keys;
}

const markers: Record<string, KnownKey['is'] | undefined> = {
  '@cert-authority': 'authority',
  '@revoked': 'revoked',
};

/** False where nothing is there. */
async function isReadable(file: string): Promise<boolean> {
  try {
    if ((await stat(file)).isDirectory())
      throw Object.assign(new Error('it is a folder'), { code: undefined });
    await access(file, constants.R_OK);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    throw unreadable(file, systemWords(cause), cause);
  }
}

function unreadable(file: string, why: string, cause: unknown): HerError {
  return new HerError('KNOWN_HOSTS_UNREADABLE', `${file} cannot be read: ${why}`, { cause });
}
