import { readFile } from 'node:fs/promises';
import { run } from './run.ts';

/** A new ed25519 key in `path` and `path.pub`; the public one, without its comment. */
export async function makeKey(path: string, comment: string, passphrase = ''): Promise<string> {
  await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', passphrase, '-C', comment, '-f', path]);
  return publicKey(path);
}

export async function publicKey(path: string): Promise<string> {
  const [type, key] = (await readFile(`${path}.pub`, 'utf8')).split(' ');
  return `${type} ${key}`;
}

/** A host certificate beside the key, by which `authority` vouches for these names. */
export async function certify(
  key: string,
  authority: string,
  name: string,
  names: readonly string[],
): Promise<void> {
  const list = names.join(',');
  await run([
    'ssh-keygen',
    '-q',
    '-s',
    authority,
    '-I',
    name,
    '-h',
    '-n',
    list,
    '-V',
    '-1d:+52w',
    `${key}.pub`,
  ]);
}
