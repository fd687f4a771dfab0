import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOption, type SshConfig } from './resolve.ts';

/** A folder of our own, which nobody else may enter, with a configuration and the sockets of the system's `ssh`. */
export type SystemFolder = { path: string; config: string; remove(): Promise<void> };

/** Short, because the path of a socket may have about a hundred bytes. */
export async function makeSystemFolder(hosts: readonly SshConfig[], project: string): Promise<SystemFolder> {
  const path = await mkdtemp(join(tmpdir(), 'her-ssh-'));
  await chmod(path, 0o700);
  const config = join(path, 'config');
  await writeFile(config, systemConfig(hosts, project), { mode: 0o600 });
  return { path, config, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * The user's configuration with what we insist on before it: in ssh_config the first value holds. A file and not
 * options, because a ProxyJump starts another `ssh`, which is told the file and none of the options.
 */
function systemConfig(hosts: readonly SshConfig[], project: string): string {
  const [, chosen] = configOption();
  const included =
    chosen === undefined ? [join(homedir(), '.ssh', 'config'), '/etc/ssh/ssh_config'] : [chosen];
  return [
    'Host *',
    '  BatchMode yes',
    '  StrictHostKeyChecking yes',
    '  UpdateHostKeys no',
    '  CheckHostIP no',
    '  ForwardAgent no',
    '  ForwardX11 no',
    '  ClearAllForwardings yes',
    '  PermitLocalCommand no',
    '  RequestTTY no',
    '  ControlMaster no',
    '  ControlPath none',
    // Debian's BatchMode would make it 300.
    '  ServerAliveInterval 15',
    '  ServerAliveCountMax 3',
    ...hosts.flatMap((host) => [
      `Match originalhost ${host.name}`,
      `  UserKnownHostsFile ${[project, ...host.userKnownHosts].map(quoted).join(' ')}`,
      ...(host.connectTimeout === null ? ['  ConnectTimeout 15'] : []),
    ]),
    'Match all',
    ...included.map((file) => `  Include ${quoted(file)}`),
    '',
  ].join('\n');
}

/** Quoted for ssh_config, where `%` and `${` begin tokens. */
function quoted(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}
