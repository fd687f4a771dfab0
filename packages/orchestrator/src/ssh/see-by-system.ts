import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type KeyBlob, parsePublicKey } from './key-blob.ts';
import type { SshConfig } from './resolve.ts';
import { makeSystemFolder } from './system-config.ts';
import { systemSshError } from './system-ssh-errors.ts';

const types = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521',
  'rsa-sha2-512,rsa-sha2-256',
  'sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com',
];

/**
 * The same by the system's `ssh`, where only that gets there: it notes the key in a file that is thrown away, and has
 * nothing to be let in with. The hosts on the way must be known.
 */
export async function seeBySystem(
  config: SshConfig,
  hops: readonly SshConfig[],
  project: string,
): Promise<KeyBlob[]> {
  const folder = await makeSystemFolder([config, ...hops], project);
  const keys: KeyBlob[] = [];
  let last = '';
  try {
    for (const type of types) {
      const seen = join(folder.path, 'seen');
      await rm(seen, { force: true });
      const options = [
        `UserKnownHostsFile=${seen}`,
        'GlobalKnownHostsFile=none',
        'KnownHostsCommand=none',
        'StrictHostKeyChecking=accept-new',
        'HashKnownHosts=no',
        `HostKeyAlgorithms=${type}`,
        'PreferredAuthentications=none',
      ];
      const args = ['-F', folder.config, '-T', ...options.flatMap((option) => ['-o', option])];
      const done = await execa('ssh', [...args, '--', config.name, 'true'], {
        reject: false,
        stdin: 'ignore',
        detached: true,
        timeout: 60_000,
      });
      const text = await readFile(seen, 'utf8').catch(() => '');
      const found = text
        .split('\n')
        .flatMap((line) => parsePublicKey(line.replace(/^\S+\s+/, ''))?.blob ?? []);
      keys.push(...found);
      if (found.length === 0 && !/no matching host key type|Unable to negotiate/i.test(done.stderr))
        last = done.stderr || (done.originalMessage ?? '');
      if (last !== '') break;
    }
  } finally {
    await folder.remove();
  }
  if (last !== '' || keys.length === 0) throw systemSshError(config, last);
  return keys;
}
