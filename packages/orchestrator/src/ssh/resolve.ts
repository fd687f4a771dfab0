import { userInfo } from 'node:os';
import { execa } from 'execa';
import { HerError } from '../errors.ts';
import { absolute, callerDirectory } from '../home.ts';
import { all, type ConfigText, files, isOn, list, one, parseConfigText, seconds } from './config-text.ts';
import { type Hop, isHostName, jumpText, parseJump } from './jump.ts';
import { expandPath } from './path-tokens.ts';

/** What OpenSSH's configuration says of a host: what `ssh HOST` would do. */
export type SshConfig = {
  /** As it was asked for. */
  name: string;
  user: string;
  hostname: string;
  port: number;
  family: 0 | 4 | 6;
  bindAddress: string | null;
  /** The hosts on the way, in order; null: none. */
  jump: readonly Hop[] | null;
  proxyCommand: string | null;
  identityFiles: readonly string[];
  certificateFiles: readonly string[];
  /** The agent's socket. */
  identityAgent: string | null;
  identitiesOnly: boolean;
  pkcs11Provider: string | null;
  publicKeys: boolean;
  gssapi: boolean;
  hostBased: boolean;
  /** Nobody is to be asked anything. */
  batch: boolean;
  userKnownHosts: readonly string[];
  globalKnownHosts: readonly string[];
  hostKeyAlias: string | null;
  revokedHostKeys: string | null;
  knownHostsCommand: string | null;
  /** Seconds; null: not said. */
  connectTimeout: number | null;
  algorithms: {
    kex: readonly string[];
    ciphers: readonly string[];
    macs: readonly string[];
    hostKeys: readonly string[];
  };
  /** Settings that only OpenSSH itself can follow, each as a person would name it. */
  onlyOpenSsh: readonly string[];
};

/** What a ProxyJump says of a hop, over what that host's own configuration says. */
export type Overrides = { user?: string | null; port?: number | null; jump?: readonly Hop[] };

/** `-F FILE` where HER_SSH_CONFIG names another configuration than the user's own. */
export function configOption(env: NodeJS.ProcessEnv = process.env): string[] {
  const file = env['HER_SSH_CONFIG'];
  return file === undefined || file === '' ? [] : ['-F', absolute(file, callerDirectory(env))];
}

/** @throws {HerError} `SSH_SETUP` where OpenSSH does not take the name or its configuration */
export async function resolveHost(
  name: string,
  over: Overrides = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<SshConfig> {
  if (!isHostName(name)) throw new HerError('SSH_SETUP', `${JSON.stringify(name)} is no name of a host`);
  const options = [
    ...configOption(env),
    ...(over.user ? ['-l', over.user] : []),
    ...(over.port ? ['-p', String(over.port)] : []),
    ...(over.jump === undefined || over.jump.length === 0 ? [] : ['-J', jumpText(over.jump)]),
  ];
  // Standard input is none of ssh's: `Match exec` could read from it.
  const said = await execa('ssh', ['-G', '-T', ...options, '--', name], {
    reject: false,
    stdin: 'ignore',
    env,
  });
  if (said.exitCode === 0) return readConfig(name, parseConfigText(said.stdout), env);
  const missing = (said as { code?: string }).code === 'ENOENT';
  const why = missing
    ? 'there is no `ssh` here'
    : said.stderr.trim().split('\n').at(-1) || said.originalMessage;
  throw new HerError('SSH_SETUP', `${name}: ${why}`, {
    hint: missing ? 'Install OpenSSH (its client), then run the same command again.' : '',
  });
}

/** @param name as it was asked for */
export function readConfig(name: string, text: ConfigText, env: NodeJS.ProcessEnv = process.env): SshConfig {
  const jump = one(text, 'proxyjump');
  const hostname = one(text, 'hostname') ?? name;
  const port = Number(one(text, 'port') ?? 22);
  const user = one(text, 'user') ?? userInfo().username;
  const hostKeyAlias = one(text, 'hostkeyalias');
  const onlyOpenSsh: string[] = [];
  const paths = (keyword: string, written: readonly string[]): string[] =>
    written.flatMap((path) => {
      const expanded = expandPath(path, { name, hostname, port, user, hostKeyAlias }, env);
      if (expanded === undefined) onlyOpenSsh.push(`${keyword} ${path}`);
      return expanded === undefined ? [] : [expanded];
    });
  for (const keyword of ['BindInterface']) {
    if (one(text, keyword.toLowerCase()) !== null) onlyOpenSsh.push(keyword);
  }
  return {
    name,
    user,
    hostname,
    port,
    family: ({ inet: 4, inet6: 6 } as const)[one(text, 'addressfamily') ?? ''] ?? 0,
    bindAddress: one(text, 'bindaddress'),
    jump: jump === null ? null : parseJump(jump),
    proxyCommand: one(text, 'proxycommand'),
    identityFiles: paths('IdentityFile', all(text, 'identityfile')),
    certificateFiles: paths('CertificateFile', all(text, 'certificatefile')),
    identityAgent: agentSocket(text, (path) => paths('IdentityAgent', [path])[0], env),
    identitiesOnly: isOn(text, 'identitiesonly'),
    pkcs11Provider: one(text, 'pkcs11provider'),
    publicKeys:
      text.get('pubkeyauthentication')?.[0] !== 'no' && text.get('pubkeyauthentication')?.[0] !== 'false',
    gssapi: isOn(text, 'gssapiauthentication'),
    hostBased: isOn(text, 'hostbasedauthentication'),
    batch: isOn(text, 'batchmode'),
    userKnownHosts: files(text, 'userknownhostsfile'),
    globalKnownHosts: files(text, 'globalknownhostsfile'),
    hostKeyAlias,
    revokedHostKeys: one(text, 'revokedhostkeys'),
    knownHostsCommand: one(text, 'knownhostscommand'),
    connectTimeout: seconds(text, 'connecttimeout') ?? null,
    algorithms: {
      kex: list(text, 'kexalgorithms'),
      ciphers: list(text, 'ciphers'),
      macs: list(text, 'macs'),
      hostKeys: list(text, 'hostkeyalgorithms'),
    },
    onlyOpenSsh,
  };
}

function agentSocket(
  text: ConfigText,
  expand: (path: string) => string | undefined,
  env: NodeJS.ProcessEnv,
): string | null {
  const written = text.get('identityagent')?.[0];
  if (written?.toLowerCase() === 'none') return null;
  if (written === undefined || written === '' || written === 'SSH_AUTH_SOCK')
    return env['SSH_AUTH_SOCK'] || null;
  if (/^\$\w+$/.test(written)) return env[written.slice(1)] || null;
  return expand(written) ?? null;
}
