import type { Home } from '../home.ts';
import type { Runner } from '../targets/runner.ts';
import { passOn, streamedBy } from '../targets/streamed-by.ts';
import { hopsTo } from './chain.ts';
import type { Connection } from './connection.ts';
import { NeedsSystemSsh } from './connection-error.ts';
import { knownHostsFiles, readKnownHost } from './host-keys.ts';
import { openPool, type Pool } from './open-ssh2.ts';
import { projectKnownHosts } from './project-known-hosts.ts';
import { resolveHost } from './resolve.ts';
import { type SeenHostKey, seenUnder } from './seen-host-key.ts';
import { openSsh2Runner, type Ssh2Runner } from './ssh2-runner.ts';
import { whySystemSshOnTheWay } from './system-reasons.ts';
import { openSystemSsh } from './system-ssh.ts';

export type SshRunner = Runner & {
  /** As `ssh -G` has it: HostName. */
  readonly address: string;
  readonly via: 'ssh2' | 'system ssh';
  /** Why the system's `ssh` serves it; null where ssh2 does. */
  readonly why: string | null;
  /** The fingerprint of the key that the host showed; null before the first connection. */
  readonly hostKey: string | null;
  /** Connects now, so that what refuses us is told before anything is asked. */
  connect(): Promise<void>;
};

export type OpenSshOptions = {
  home: Home;
  say?: (line: string) => void;
  /** Told the keys that the host, and those on the way, were reached under; after each new connection. */
  onHostKeys?: ((seen: readonly SeenHostKey[]) => void) | undefined;
  /** Default: one for all runners of the home. */
  pool?: Pool;
};

/**
 * Commands on a host that `ssh` knows by this name. Nothing is sent to it before the first call.
 * @throws {HerError} `SSH_SETUP` where OpenSSH does not take the name or its configuration, `KNOWN_HOSTS_UNREADABLE`
 */
export async function openSshRunner(
  host: string,
  { home, say = () => undefined, onHostKeys, pool: given }: OpenSshOptions,
): Promise<SshRunner> {
  const project = projectKnownHosts(home);
  const config = await resolveHost(host);
  const hops = await hopsTo(config);
  const { pool, leave } = given === undefined ? joinPool(home) : { pool: given, leave: () => undefined };
  let why = await whySystemSshOnTheWay([...hops, config], project).catch((error: unknown) => {
    leave();
    throw error;
  });
  let runner: Ssh2Runner;
  const tell = async (shown: readonly (string | null)[]): Promise<void> => {
    if (onHostKeys === undefined) return;
    const chain = [...hops, config];
    const seen = chain.map(async (one, at) => {
      const key = shown[at] ?? null;
      if (key === null) return [];
      const known = await readKnownHost(one, knownHostsFiles(one, project));
      return seenUnder(one.name, key, known, project) ?? [];
    });
    onHostKeys((await Promise.all(seen)).flat());
  };
  const bySystem = (reason: string): void => {
    why = reason;
    runner = openSystemSsh(config, hops, project, (key) => tell([...hops.map(() => null), key]));
    say(`${host}: over the system's ssh (${reason})`);
  };
  const connect = async (): Promise<Connection> => {
    const connection = await pool.connect(config, hops);
    await tell([...pool.hops.keysOf(hops), connection.hostKey]);
    return connection;
  };
  if (why === null) runner = openSsh2Runner(host, connect);
  else bySystem(why);

  /** Once more by the system's `ssh`, where it turns out that ssh2 cannot. */
  const instead = (error: unknown): void => {
    if (!(error instanceof NeedsSystemSsh)) throw error;
    // Others may have found out meanwhile.
    if (why !== null) return;
    void runner.close();
    bySystem(error.message);
  };
  const either = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      instead(error);
      return await act();
    }
  };

  return {
    host,
    address: config.hostname,
    get via() {
      return why === null ? 'ssh2' : 'system ssh';
    },
    get why() {
      return why;
    },
    get hostKey() {
      return runner.hostKey;
    },
    connect: () => either(() => runner.connect()),
    run: (argv, options) => either(() => runner.run(argv, options)),
    stream: (argv, signal, input) => {
      const first = runner.stream(argv, signal, input);
      return streamedBy(async function* () {
        try {
          return yield* passOn(first);
        } catch (error) {
          instead(error);
          // Before it is let in, nothing of `input` was taken.
          return yield* passOn(runner.stream(argv, signal, input));
        }
      });
    },
    close: async () => {
      await runner.close();
      leave();
    },
  };
}

const pools = new Map<string, { pool: Pool; users: number }>();

/** Runners of one home share jump hosts and passphrases, until the last is closed. */
function joinPool(home: Home): { pool: Pool; leave: () => void } {
  const found = pools.get(home.root) ?? { pool: openPool(home), users: 0 };
  pools.set(home.root, found);
  found.users += 1;
  let joined = true;
  return {
    pool: found.pool,
    leave: () => {
      if (!joined) return;
      joined = false;
      found.users -= 1;
      if (found.users > 0) return;
      pools.delete(home.root);
      found.pool.close();
    },
  };
}
