import type { KeyBlob } from './key-blob.ts';
import { keyType } from './key-blob.ts';
import { findKnown, type KnownKey, knownName } from './known-hosts.ts';
import type { SshConfig } from './resolve.ts';

/** All that is known of a host's keys. */
export type KnownHost = {
  /** The name that it is known by. */
  name: string;
  keys: readonly KnownKey[];
  /** What is known of the same host at its usual port; a key that fits there is taken too, as by OpenSSH. */
  atUsualPort: readonly KnownKey[];
};

export type Verdict =
  | { is: 'known'; by: KnownKey }
  /** `others`: keys of other types that are known. */
  | { is: 'unknown'; others: readonly KnownKey[] }
  | { is: 'changed'; was: readonly KnownKey[] }
  | { is: 'revoked'; by: KnownKey }
  /** A certificate authority vouches for the host; only OpenSSH can check that. */
  | { is: 'needs-system-ssh'; by: KnownKey };

/** The files that may speak of a host: the project's, the user's, the machine's. */
export function knownHostsFiles(config: SshConfig, project: string): string[] {
  return [project, ...config.userKnownHosts, ...config.globalKnownHosts];
}

/** The name that known_hosts has for a host. */
export function nameInKnownHosts({ hostKeyAlias, hostname, port }: SshConfig): string {
  return hostKeyAlias ?? knownName(hostname, port);
}

/** @throws {HerError} `KNOWN_HOSTS_UNREADABLE`: what cannot be read may have revoked the key */
export async function readKnownHost(config: SshConfig, files: readonly string[]): Promise<KnownHost> {
  const name = nameInKnownHosts(config);
  const bare = config.hostKeyAlias === null && name !== config.hostname ? config.hostname : undefined;
  const [keys, atUsualPort] = await Promise.all([
    findKnown(name, files),
    bare === undefined ? [] : findKnown(bare, files),
  ]);
  return { name, keys, atUsualPort };
}

/** The rules of OpenSSH's strict checking: a revoked line is stronger than any other, then a line with the very key. */
export function judge({ keys, atUsualPort }: KnownHost, presented: KeyBlob): Verdict {
  const same = (key: KnownKey): boolean => key.blob.equals(presented);
  const revoked = [...keys, ...atUsualPort].find((key) => key.is === 'revoked' && same(key));
  if (revoked !== undefined) return { is: 'revoked', by: revoked };
  const authority = keys.find((key) => key.is === 'authority');
  const line = keys.find((key) => key.is === 'host' && same(key));
  if (line !== undefined) return { is: 'known', by: line };
  if (authority !== undefined) return { is: 'needs-system-ssh', by: authority };
  const others = keys.filter((key) => key.is === 'host');
  const was = others.filter((key) => key.type === keyType(presented));
  if (was.length > 0) return { is: 'changed', was };
  // Only where nothing is known of the port itself, or its keys of other types would not be asked for.
  const elsewhere = atUsualPort.find((key) => key.is === 'host' && same(key));
  if (elsewhere !== undefined) return { is: 'known', by: elsewhere };
  return { is: 'unknown', others };
}

/** The types of key that are known of a host, to be asked for first. */
export function knownTypes({ keys, atUsualPort }: KnownHost): Set<string> {
  const hosts = keys.filter((key) => key.is === 'host');
  return new Set(
    (hosts.length > 0 ? hosts : atUsualPort.filter((key) => key.is === 'host')).map((key) => key.type),
  );
}
