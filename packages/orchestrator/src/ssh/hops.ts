import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';
import { type Dial, dialDirectly } from './dial.ts';
import { shownHost } from './host-key-errors.ts';
import { openRedial, type Redial } from './redial.ts';
import type { SshConfig } from './resolve.ts';
import { networkWords, notReached } from './unreachable.ts';

/** Connections to jump hosts, one for all hosts behind it. */
export type Hops = {
  /** The way to a host over these, in the order in which they are passed. */
  dialOver(hops: readonly SshConfig[]): Dial;
  /** The fingerprints of the keys that these showed; null of one that is not connected. */
  keysOf(hops: readonly SshConfig[]): (string | null)[];
  close(): void;
};

type Shared = { redial: Redial<Connection>; connection: Connection | undefined };

/** @param connect to one hop, over those before it */
export function openHops(connect: (hop: SshConfig, dial: Dial) => Promise<Connection>): Hops {
  const shared = new Map<string, Shared>();

  const sharedFor = (hops: readonly SshConfig[], hop: SshConfig): Shared => {
    const key = wayTo(hops);
    const found = shared.get(key);
    if (found !== undefined) return found;
    const dial = dialOver(hops.slice(0, -1));
    const made: Shared = { connection: undefined, redial: openRedial(() => connect(hop, dial)) };
    shared.set(key, made);
    return made;
  };
  const connectionOf = async (one: Shared): Promise<Connection> => {
    if (one.connection !== undefined && one.connection.lost === null) return one.connection;
    const connection = await one.redial.attempt();
    if (one.connection !== connection) {
      one.connection = connection;
      connection.onLost(() => one.redial.broke());
    }
    return connection;
  };
  const dialOver = (hops: readonly SshConfig[]): Dial => {
    const hop = hops.at(-1);
    if (hop === undefined) return dialDirectly;
    return async (config, milliseconds) => {
      const connection = await connectionOf(sharedFor(hops, hop));
      return await forwarded(connection, hop, config, milliseconds);
    };
  };
  return {
    dialOver,
    keysOf: (hops) =>
      hops.map((_, at) => shared.get(wayTo(hops.slice(0, at + 1)))?.connection?.hostKey ?? null),
    close: () => {
      for (const { redial, connection } of shared.values()) {
        redial.close();
        connection?.close();
      }
      shared.clear();
    },
  };
}

function wayTo(hops: readonly SshConfig[]): string {
  return hops.map(({ name, user, hostname, port }) => JSON.stringify([name, user, hostname, port])).join();
}

async function forwarded(
  connection: Connection,
  hop: SshConfig,
  config: SshConfig,
  milliseconds: number,
): Promise<Duplex> {
  const way = connection.forward(config.hostname, config.port);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no answer in ${Math.round(milliseconds / 1000)} s`)),
    milliseconds,
  );
  try {
    const stream = await Promise.race([way, late.promise]);
    stream.on('error', () => undefined);
    return stream;
  } catch (cause) {
    void way.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
    const why = connection.lost?.message ?? `from ${hop.name}: ${channelWords(cause)}`;
    throw notReached(shownHost(config), why, cause);
  } finally {
    clearTimeout(timer);
  }
}

/** sshd says it in words of its own: `(SSH) Channel open failure: Connection refused`. */
function channelWords(cause: unknown): string {
  return networkWords(cause).replace(/^\(SSH\) Channel open failure: /, '');
}
