import type { Algorithms } from 'ssh2';
import { NeedsSystemSsh } from './connection-error.ts';
import type { SshConfig } from './resolve.ts';

/** AES-GCM first: node has it natively, and it needs no MAC of its own. */
const ciphers = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
] as const;
const kex = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group-exchange-sha256',
  'diffie-hellman-group16-sha512',
  'diffie-hellman-group18-sha512',
  'diffie-hellman-group14-sha256',
] as const;
const macs = [
  'hmac-sha2-256-etm@openssh.com',
  'hmac-sha2-512-etm@openssh.com',
  'hmac-sha2-256',
  'hmac-sha2-512',
] as const;
const hostKeys = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const;

export type Offer = Algorithms & { serverHostKey: (typeof hostKeys)[number][] };

/**
 * What to offer: what both the configuration and ssh2 know, host keys of known types first, so that a host known by its
 * ECDSA key is not asked for another.
 * @throws {NeedsSystemSsh} where nothing is left of one kind: OpenSSH knows more
 */
export function offer({ algorithms }: Pick<SshConfig, 'algorithms'>, known: ReadonlySet<string>): Offer {
  const allowed = <T extends string>(ours: readonly T[], theirs: readonly string[]): T[] =>
    theirs.length === 0 ? [...ours] : ours.filter((name) => theirs.includes(name));
  const isKnown = (name: string): boolean => known.has(name.startsWith('rsa-sha2-') ? 'ssh-rsa' : name);
  const keys = allowed(hostKeys, algorithms.hostKeys);
  const offered = {
    kex: allowed(kex, algorithms.kex),
    cipher: allowed(ciphers, algorithms.ciphers),
    hmac: allowed(macs, algorithms.macs),
    serverHostKey: [...keys.filter(isKnown), ...keys.filter((name) => !isKnown(name))],
    compress: ['none' as const],
  };
  if (Object.values(offered).some((names) => names.length === 0))
    throw new NeedsSystemSsh('its algorithms are not among those of ssh2');
  return offered;
}

/** Names of one family of keys each: a server shows one key in a handshake, so each has to be asked for. */
export function hostKeyGroups<T extends string>(names: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const name of names) {
    // Few, because a server may shut out who comes often and is not let in.
    const family = name.replace(/-.*$/, '');
    groups.set(family, [...(groups.get(family) ?? []), name]);
  }
  return [...groups.values()];
}
