import { holdsMore } from './agent-keys.ts';
import type { NotLetIn } from './connection-error.ts';
import { type KnownHost, knownHostsFiles, readKnownHost } from './host-keys.ts';
import { readIdentity } from './identity-file.ts';
import type { SshConfig } from './resolve.ts';

/** What of a host's configuration only the system's `ssh` can do; null where ssh2 can do all of it. */
async function whySystemSsh(config: SshConfig, known: KnownHost): Promise<string | null> {
  if (config.proxyCommand !== null) return 'ProxyCommand';
  if (config.pkcs11Provider !== null) return 'PKCS11Provider';
  if (config.knownHostsCommand !== null) return 'KnownHostsCommand';
  if (config.revokedHostKeys !== null) return 'RevokedHostKeys';
  const [own] = config.onlyOpenSsh;
  if (own !== undefined) return own;
  const authority = known.keys.find(({ is }) => is === 'authority');
  if (authority !== undefined) return `@cert-authority in ${authority.file}:${authority.line}`;
  const hostKeys = known.keys.filter(({ is }) => is === 'host');
  if (hostKeys.length > 0 && hostKeys.every(({ type }) => type.startsWith('sk-')))
    return "the host's key is one of a device";
  const [certificate] = config.certificateFiles;
  if (certificate !== undefined) return `CertificateFile ${certificate}`;
  const identities = (await Promise.all(config.identityFiles.map(readIdentity))).filter(
    (one) => one !== undefined,
  );
  const certified = identities.find((identity) => identity.certified);
  if (certified !== undefined) return `the certificate of ${certified.path}`;
  if (config.identityAgent === null && identities.length > 0 && identities.every(({ onDevice }) => onDevice))
    return `the security key of ${identities[0]?.path}`;
  return null;
}

/** The same of a host and those on the way to it, which come before it. */
export async function whySystemSshOnTheWay(
  chain: readonly SshConfig[],
  project: string,
): Promise<string | null> {
  for (const [at, one] of chain.entries()) {
    const reason = await whySystemSsh(one, await readKnownHost(one, knownHostsFiles(one, project)));
    if (reason !== null) return at === chain.length - 1 ? reason : `${one.name} on the way: ${reason}`;
  }
  return null;
}

/** Why the system's `ssh` may be let in where ssh2 was not; null where it would fare no better. */
export async function whySystemMayGetIn(config: SshConfig, error: NotLetIn): Promise<string | null> {
  if (config.gssapi && error.serverTakes.includes('gssapi-with-mic')) return 'GSSAPI';
  if (config.hostBased && error.serverTakes.includes('hostbased')) return 'HostbasedAuthentication';
  const identities = await Promise.all(config.identityFiles.map(readIdentity));
  const device = identities.find((identity) => identity?.onDevice);
  if (device !== undefined) return `the security key of ${device.path}`;
  if (config.identityAgent !== null && (await holdsMore(config.identityAgent)))
    return 'the agent holds a certificate or a security key';
  return null;
}
