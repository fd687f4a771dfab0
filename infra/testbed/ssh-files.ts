import { lines } from './host-files.ts';
import type { Places } from './places.ts';
import { addresses, type Host, hasSshd, type Topology } from './topology.ts';

/** Public keys as `ssh-ed25519 AAAA…`, without a comment. */
export type HostKeys = ReadonlyMap<string, string>;

/** The names and the address under which a client may look a host's key up. */
export function namesOf(host: Host): string[] {
  return [host.name, ...host.links.map(({ address }) => address)];
}

/** What a person would have in `~/.ssh/config`, and hosts that go wrong in one way each. */
export function sshConfig(topology: Topology, places: Places): string {
  const inside = topology.hosts.filter((host) => hasSshd(host) && host.role !== 'jump');
  const jump = topology.directPort === null ? ['  ProxyJump j'] : [];
  const first = ['  HostName 10.77.0.1', ...jump];
  return lines([
    'Host j',
    `  HostName ${addresses.jumpOuter}`,
    ...inside.flatMap(({ name, links: [link] }) => [`Host ${name}`, `  HostName ${link?.address}`, ...jump]),
    '# The key of h1 is not known, is another than known, is revoked, is vouched for by an authority.',
    ...['unknown', 'changed', 'revoked', 'ca', 'hashed'].flatMap((variant) => [
      `Host h1-${variant}`,
      ...first,
      `  UserKnownHostsFile ${places.knownHosts(variant)}`,
    ]),
    '# A user that h1 does not have; a key with a passphrase; the other user.',
    'Host h1-wrong-user',
    ...first,
    '  User nobody-here',
    'Host h1-locked',
    ...first,
    `  IdentityFile ${places.lockedKey}`,
    'Host h1-her',
    ...first,
    '  User her',
    '# Addresses from which nothing ever comes back.',
    'Host dead',
    `  HostName ${addresses.dead}`,
    'Host dead-behind-j',
    `  HostName ${addresses.deadInner}`,
    '  ProxyJump j',
    '# Identity files add up: the locked key is to be the only one there.',
    'Host * !h1-locked',
    `  IdentityFile ${places.clientKey}`,
    'Host *',
    '  User root',
    '  IdentitiesOnly yes',
    '  BatchMode yes',
    '  StrictHostKeyChecking yes',
    `  UserKnownHostsFile ${places.knownHosts()}`,
    '  GlobalKnownHostsFile none',
    '  ControlPath none',
  ]);
}

/** known_hosts as it should be (`''`), and the ways in which it may be wrong about h1. */
export function knownHostsFiles(
  topology: Topology,
  keys: HostKeys,
  stranger: string,
  authority: string,
): Record<'' | 'unknown' | 'changed' | 'revoked' | 'ca', string> {
  const known = topology.hosts.filter(hasSshd).map((host) => {
    const key = keys.get(host.name);
    if (key === undefined) throw new Error(`${host.name} has no key`);
    return { host, key, names: namesOf(host).join(',') };
  });
  const line = ({ names, key }: { names: string; key: string }) => `${names} ${key}`;
  const others = known.filter(({ host }) => host.name !== 'h1').map(line);
  const first = known.filter(({ host }) => host.name === 'h1');
  return {
    '': lines(known.map(line)),
    unknown: lines(others),
    changed: lines([...others, ...first.map(({ names }) => `${names} ${stranger}`)]),
    revoked: lines([...known.map(line), ...first.map(({ key }) => `@revoked * ${key}`)]),
    ca: lines([
      `@cert-authority * ${authority}`,
      ...known.filter(({ host }) => host.role === 'jump').map(line),
    ]),
  };
}
