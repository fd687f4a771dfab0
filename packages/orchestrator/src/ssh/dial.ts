import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { shownHost } from './host-key-errors.ts';
import type { SshConfig } from './resolve.ts';
import { networkWords, notReached } from './unreachable.ts';

/** Opens a way to a host's sshd. */
export type Dial = (config: SshConfig, milliseconds: number) => Promise<Duplex>;

/** A TCP connection of our own. */
export const dialDirectly: Dial = async (config, milliseconds) => {
  const socket = connect({
    host: config.hostname,
    port: config.port,
    family: config.family,
    ...(config.bindAddress === null ? {} : { localAddress: config.bindAddress }),
    noDelay: true,
    keepAlive: true,
  });
  try {
    await connected(socket, milliseconds);
  } catch (cause) {
    socket.destroy();
    throw notReached(shownHost(config), networkWords(cause), cause);
  }
  return socket;
};

async function connected(socket: Socket, milliseconds: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`no answer in ${Math.round(milliseconds / 1000)} s`)),
      milliseconds,
    );
    socket.once('connect', () => {
      clearTimeout(late);
      resolve();
    });
    // It stays: an error that comes later has a listener before ssh2 has put its own.
    socket.on('error', (cause) => {
      clearTimeout(late);
      reject(cause);
    });
  });
}
