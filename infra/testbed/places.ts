import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { TestbedError } from './errors.ts';

/** Every path of a bed. A host sees its own folder as `self` and `private`, and no other host's, nor `caller`. */
export type Places = ReturnType<typeof placesIn>;

export function placesIn(dir: string) {
  const hosts = join(dir, 'hosts');
  const caller = join(dir, 'caller');
  return {
    dir,
    marker: join(dir, 'bed.json'),
    hosts,
    host: (name: string) => join(hosts, name),
    /** On a host: its own folder. */
    self: join(dir, 'self'),
    shared: join(dir, 'shared'),
    private: join(dir, 'private'),
    caller,
    sshConfig: join(caller, 'ssh_config'),
    clientKey: join(caller, 'id_ed25519'),
    lockedKey: join(caller, 'id_ed25519_locked'),
    passphrase: join(caller, 'passphrase'),
    certificateAuthority: join(caller, 'host_ca'),
    knownHosts: (variant?: string) => join(caller, variant ? `known_hosts.${variant}` : 'known_hosts'),
    storeCredentials: join(caller, 's3.json'),
    storeEnvironment: join(caller, 's3.env'),
  };
}

/** What is downloaded and built once; `down` leaves it. */
export const cacheFolder = '/var/cache/her-testbed';

/** A folder that is safe in configuration files, and that no mount of a host covers. */
export function checkedDir(dir: string): string {
  const hint = 'Name another folder with --dir, for example /var/lib/her-testbed.';
  const clean = normalize(dir).replace(/\/$/, '');
  if (!isAbsolute(dir) || !/^[A-Za-z0-9/._-]{2,60}$/.test(clean))
    throw new TestbedError(
      'BED_FOLDER',
      `\`${dir}\` is no absolute path of at most 60 letters, digits and ./_-`,
      hint,
    );
  const covered = ['/tmp', '/run', '/var/run', '/var/log', '/dev', '/proc', '/sys', '/etc/slurm'];
  const over = covered.find((path) => clean === path || clean.startsWith(`${path}/`));
  if (over !== undefined)
    throw new TestbedError('BED_FOLDER', `\`${dir}\` is in ${over}, of which every host has its own`, hint);
  return clean;
}

/** sshd takes no authorized_keys below a folder that others may write. */
export async function checkParents(dir: string): Promise<void> {
  for (let path = dirname(dir); ; path = dirname(path)) {
    const found = await stat(path).catch(() => null);
    if (found !== null && (found.uid !== 0 || (found.mode & 0o022) !== 0))
      throw new TestbedError(
        'BED_FOLDER',
        `${path}, above the bed, belongs to others than root or may be written by them`,
        'Name another folder with --dir, for example /var/lib/her-testbed.',
      );
    if (path === '/') return;
  }
}
