import type { Duplex } from 'node:stream';
import ssh2, { type Client, type ConnectConfig } from 'ssh2';
import type { Offer } from './algorithms.ts';
import type { Dial } from './dial.ts';
import type { SshConfig } from './resolve.ts';

/** ssh2's client on an open way to a host; nothing is said before `begin`. */
export type OpenClient = {
  client: Client;
  socket: Duplex;
  begin(
    more: Pick<ConnectConfig, 'hostVerifier' | 'authHandler' | 'keepaliveInterval' | 'keepaliveCountMax'>,
  ): void;
  destroy(): void;
};

/** @param connectMs to wait for TCP, where the configuration says nothing */
export async function openClient(
  config: SshConfig,
  algorithms: Offer,
  dial: Dial,
  connectMs: number,
): Promise<OpenClient> {
  const limit = config.connectTimeout === null ? connectMs : config.connectTimeout * 1000;
  const socket = await dial(config, limit);
  const client = new ssh2.Client();
  return {
    client,
    socket,
    begin: (more) =>
      void client.connect({
        sock: socket,
        host: config.hostname,
        username: config.user,
        algorithms,
        // It would count what a person is asked.
        readyTimeout: 0,
        ...more,
      }),
    destroy: () => {
      client.destroy();
      socket.destroy();
    },
  };
}
