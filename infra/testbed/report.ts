import { testUser } from './host-files.ts';
import type { Marker } from './marker.ts';
import type { Places } from './places.ts';
import { addresses, hasSshd, topologyOf } from './topology.ts';

export type HostState = 'up' | 'off';
export type Report = ReturnType<typeof reportOf>;

/** All that a program needs to use the bed. */
export function reportOf(marker: Marker, places: Places, states: ReadonlyMap<string, HostState>) {
  const topology = topologyOf(marker.options);
  return {
    dir: places.dir,
    state: marker.state,
    options: marker.options,
    hosts: topology.hosts.map((host) => ({
      name: host.name,
      role: host.role,
      state: states.get(host.name) ?? 'off',
      addresses: host.links.map(({ address }) => address),
      namespace: host.namespace,
      ssh: hasSshd(host) ? { alias: host.name, port: 22, users: ['root', testUser.name] } : null,
      folder: places.host(host.name),
      logs: `${places.host(host.name)}/log`,
      private: `${places.host(host.name)}/private`,
    })),
    shared: places.shared,
    /** The path on a host at which each finds a folder of its own. */
    privateOnHost: places.private,
    ssh: {
      config: places.sshConfig,
      key: places.clientKey,
      lockedKey: places.lockedKey,
      passphraseFile: places.passphrase,
      knownHosts: Object.fromEntries(
        ['', 'unknown', 'changed', 'revoked', 'ca', 'hashed'].map((name) => [
          name || 'right',
          places.knownHosts(name),
        ]),
      ),
      dead: [addresses.dead, addresses.deadInner],
    },
    slurm: topology.slurm ? { login: 'login', partitions: ['main', 'short'] } : null,
    s3: topology.s3
      ? { credentialsFile: places.storeCredentials, environmentFile: places.storeEnvironment }
      : null,
  };
}

export function inWords(report: Report): string {
  const rows = report.hosts.map(
    ({ name, role, state, addresses: own }) =>
      `  ${name.padEnd(8)}${role.padEnd(9)}${state.padEnd(5)}${own.join('  ')}`,
  );
  return [
    `The bed in ${report.dir} is ${report.state}.`,
    ...rows,
    '',
    `  ssh -F ${report.ssh.config} h1`,
    ...(report.slurm ? [`  ssh -F ${report.ssh.config} login sinfo`] : []),
    ...(report.s3 ? [`  S3: ${report.s3.credentialsFile}`] : []),
    '',
  ].join('\n');
}
