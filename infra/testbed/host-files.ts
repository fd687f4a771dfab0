import { join } from 'node:path';
import type { Places } from './places.ts';
import { addresses, type Host, hasSshd, innerAddress, type Topology } from './topology.ts';

/** The second user of every host, beside root. */
export const testUser = { name: 'her', id: 20077 } as const;

export type File = { path: string; text: string; mode: number };

/** What stands in a host's `etc`, mounted over the machine's own files of these names. */
export function etcFiles(host: Host, topology: Topology, places: Places, machinePasswd: string): File[] {
  const etc = join(places.host(host.name), 'etc');
  const passwd = passwdFor(machinePasswd, places);
  const names = passwd.map((line) => line.slice(0, line.indexOf(':')));
  return [
    { path: join(etc, 'hostname'), text: `${host.name}\n`, mode: 0o644 },
    { path: join(etc, 'hosts'), text: hostsFile(topology), mode: 0o644 },
    { path: join(etc, 'passwd'), text: lines(passwd), mode: 0o644 },
    // No password opens anything, and no hash of the machine's is copied.
    { path: join(etc, 'shadow'), text: lines(names.map((name) => `${name}:*:19000::::::`)), mode: 0o600 },
  ];
}

export function groupFile(machineGroup: string): string {
  const others = machineGroup.split('\n').filter((line) => line !== '' && !taken(line));
  return lines([...others, `${testUser.name}:x:${testUser.id}:`]);
}

/** Debian's defaults, with everything of the host's own in its own folder. */
export function sshdConfig(host: Host, places: Places): string {
  const own = join(places.self, 'ssh');
  return lines([
    'Port 22',
    // Behind the relay sshd listens where only the relay comes from.
    `ListenAddress ${host.delayMs === null ? '0.0.0.0' : '127.0.0.1'}`,
    `HostKey ${join(own, 'host_ed25519')}`,
    `HostCertificate ${join(own, 'host_ed25519-cert.pub')}`,
    `AuthorizedKeysFile ${join(own, 'authorized_keys')}`,
    'PidFile /run/sshd.pid',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'AllowTcpForwarding yes',
    'MaxSessions 10',
    'MaxStartups 10:30:100',
    'PrintMotd no',
    'AcceptEnv LANG LC_*',
    'Subsystem sftp /usr/lib/openssh/sftp-server',
  ]);
}

function hostsFile(topology: Topology): string {
  return lines([
    '127.0.0.1 localhost',
    ...topology.hosts.filter(hasSshd).map((host) => `${innerAddress(host)} ${host.name}`),
    ...(topology.s3 ? [`${addresses.store} s3`] : []),
  ]);
}

/** The machine's users, root with a home of its own on each host, and the test user. */
function passwdFor(machine: string, places: Places): string[] {
  const home = join(places.self, 'home');
  const others = machine
    .split('\n')
    .filter((line) => line !== '' && !taken(line))
    .map((line) => (line.startsWith('root:') ? `root:x:0:0:root:${join(home, 'root')}:/bin/bash` : line));
  const { name, id } = testUser;
  return [...others, `${name}:x:${id}:${id}::${join(home, name)}:/bin/bash`];
}

function taken(line: string): boolean {
  const [name, , id] = line.split(':');
  return name === testUser.name || id === String(testUser.id);
}

export function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
