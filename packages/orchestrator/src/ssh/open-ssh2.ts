import type { Home } from '../home.ts';
import { connectPatiently } from './connect-patiently.ts';
import { type Connection, openConnection, type Timing, usualTiming } from './connection.ts';
import { NeedsSystemSsh, NotLetIn } from './connection-error.ts';
import type { Dial } from './dial.ts';
import { type Hops, openHops } from './hops.ts';
import { knownHostsFiles, readKnownHost } from './host-keys.ts';
import { openPassphrases, type Passphrases } from './passphrases.ts';
import { projectKnownHosts } from './project-known-hosts.ts';
import type { SshConfig } from './resolve.ts';
import { whySystemMayGetIn } from './system-reasons.ts';

/** What all connections of a home share: jump hosts and passphrases. */
export type Pool = {
  readonly hops: Hops;
  connect(config: SshConfig, hops: readonly SshConfig[]): Promise<Connection>;
  close(): void;
};

export function openPool(
  home: Home,
  {
    passphrases = openPassphrases(),
    timing = usualTiming,
  }: { passphrases?: Passphrases; timing?: Timing } = {},
): Pool {
  const project = projectKnownHosts(home);
  // Read anew each time: `her host add` may have accepted a key since.
  const connect = async (config: SshConfig, dial: Dial): Promise<Connection> => {
    const known = await readKnownHost(config, knownHostsFiles(config, project));
    return await connectPatiently(() => openConnection(config, known, dial, passphrases, timing));
  };
  const hops = openHops(connect);
  return {
    hops,
    connect: async (config, over) => {
      try {
        return await connect(config, hops.dialOver(over));
      } catch (error) {
        const why = error instanceof NotLetIn ? await whySystemMayGetIn(config, error) : null;
        throw why === null ? error : new NeedsSystemSsh(why, { cause: error });
      }
    },
    close: () => hops.close(),
  };
}
