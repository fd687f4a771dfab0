import { HerError } from '../errors.ts';
import { hopsTo } from './chain.ts';
import { knownHostsFiles, readKnownHost } from './host-keys.ts';
import { fingerprint } from './key-blob.ts';
import type { KnownKey } from './known-hosts.ts';
import { resolveHost } from './resolve.ts';
import { whySystemSshOnTheWay } from './system-reasons.ts';

export type ListedHost = {
  host: string;
  /** `user@host:port`, as `ssh -G` has it; null where OpenSSH does not take the name. */
  at: string | null;
  /** The hosts on the way, in order. */
  way: string[];
  by: 'ssh2' | 'system ssh';
  why: string | null;
  keys: { is: KnownKey['is']; algorithm: string; fingerprint: string; file: string; line: number }[];
  error: string | null;
};

/** What is to be said of hosts without connecting to them. */
export async function listHosts(names: readonly string[], project: string): Promise<ListedHost[]> {
  return await Promise.all([...new Set(names)].map((name) => listOne(name, project)));
}

async function listOne(host: string, project: string): Promise<ListedHost> {
  try {
    const config = await resolveHost(host);
    const hops = await hopsTo(config);
    const found = await readKnownHost(config, knownHostsFiles(config, project));
    const why = await whySystemSshOnTheWay([...hops, config], project);
    const lines = found.keys.length > 0 ? found.keys : found.atUsualPort;
    return {
      host,
      at: `${config.user}@${config.hostname.includes(':') ? `[${config.hostname}]` : config.hostname}:${config.port}`,
      way: hops.map(({ name }) => name),
      by: why === null ? 'ssh2' : 'system ssh',
      why,
      keys: lines.map(({ is, type, blob, file, line }) => ({
        is,
        algorithm: type,
        fingerprint: fingerprint(blob),
        file,
        line,
      })),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof HerError)) throw error;
    const what = `${error.message} [${error.code}]`;
    return { host, at: null, way: [], by: 'ssh2', why: null, keys: [], error: what };
  }
}
