import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { HerError } from '../errors.ts';
import { offer } from './algorithms.ts';
import { type Auth, openAuth } from './auth.ts';
import { connectionError } from './connection-error.ts';
import type { Dial } from './dial.ts';
import { hostKeyError, shownHost } from './host-key-errors.ts';
import { judge, type KnownHost, knownTypes } from './host-keys.ts';
import { fingerprint } from './key-blob.ts';
import { openClient } from './open-client.ts';
import type { Passphrases } from './passphrases.ts';
import type { SshConfig } from './resolve.ts';
import { notReached } from './unreachable.ts';
import { watchSilence } from './watch-silence.ts';
import { widenWindow } from './wide-window.ts';

export type Timing = {
  /** To wait for TCP, where the configuration says nothing. */
  connectMs: number;
  /** To wait for each of the host key and the proof of who we are. */
  handshakeMs: number;
  keepaliveMs: number;
  /** Unanswered ones, after which the connection is taken for broken. */
  keepaliveCount: number;
};
export const usualTiming: Timing = {
  connectMs: 15_000,
  handshakeMs: 20_000,
  keepaliveMs: 10_000,
  keepaliveCount: 2,
};

/** An SSH connection whose host key was checked and that let us in. */
export type Connection = {
  readonly hostKey: string;
  /** Why it broke; null as long as it has not. */
  readonly lost: HerError | null;
  exec(command: string): Promise<ClientChannel>;
  /** A way on, through this host. */
  forward(host: string, port: number): Promise<Duplex>;
  /** @returns what takes the listener away */
  onLost(listener: (error: HerError) => void): () => void;
  close(): void;
};

/**
 * Connects. The host key is judged before anything is sent that is ours.
 * @throws {HerError} what the host key, the keys or the network refuse
 * @throws {NeedsSystemSsh} where OpenSSH may get in and ssh2 cannot
 */
export async function openConnection(
  config: SshConfig,
  known: KnownHost,
  dial: Dial,
  passphrases: Passphrases,
  timing: Timing = usualTiming,
): Promise<Connection> {
  const algorithms = offer(config, knownTypes(known));
  const { client, socket, begin, destroy } = await openClient(config, algorithms, dial, timing.connectMs);
  const stage = new Stage(timing.handshakeMs);
  let hostKey: string | undefined;
  let refusal: HerError | undefined;
  let auth: Auth | undefined;
  let lost: HerError | null = null;
  const listeners = new Set<(error: HerError) => void>();

  const ready = Promise.withResolvers<void>();
  const fail = (error: Error): void => {
    ready.reject(error);
    if (lost !== null) return;
    lost = error instanceof HerError ? error : notReached(shownHost(config), error.message);
    for (const listener of listeners) listener(lost);
    socket.destroy();
  };
  stage.late = (doing) => fail(notReached(shownHost(config), `no answer to ${doing}`));

  // Listeners stay for as long as the client does: an error that comes after its end must not end the process.
  client.on('error', (error: Error & { level?: string }) => {
    if (error.level === 'agent') return;
    fail(refusal ?? connectionError(config, error, auth?.account, hostKey !== undefined));
  });
  client.on('close', () => fail(refusal ?? notReached(shownHost(config), 'the connection was closed')));
  client.on('end', () => fail(refusal ?? notReached(shownHost(config), 'the connection was closed')));
  client.on('ready', () => ready.resolve());
  client.on('handshake', () => stage.begin('the request to be let in'));

  stage.begin('the start of SSH');
  try {
    begin({
      keepaliveInterval: timing.keepaliveMs,
      // What is counted is silence, not answers: on a busy link an answer waits behind what is on its way.
      keepaliveCountMax: Number.MAX_SAFE_INTEGER,
      hostVerifier: (key: Buffer) => {
        refusal = hostKeyError(config, key, judge(known, key));
        if (refusal === undefined) hostKey = fingerprint(key);
        return refusal === undefined;
      },
      authHandler: (left, partial, take) => {
        const go = (opened: Auth): void => opened.next(left, partial, take);
        if (auth !== undefined) {
          stage.begin('a key');
          go(auth);
          return;
        }
        openAuth(config, passphrases, (asking) => (asking ? stage.end() : stage.begin('a key'))).then(
          (opened) => {
            auth = opened;
            go(opened);
          },
          fail,
        );
      },
    });
    await ready.promise;
  } catch (error) {
    destroy();
    throw error;
  } finally {
    stage.end();
  }
  const quietMs = timing.keepaliveMs * (timing.keepaliveCount + 1);
  const watch = watchSilence(socket, quietMs, () =>
    fail(notReached(shownHost(config), `nothing came from it for ${Math.round(quietMs / 1000)} s`)),
  );
  listeners.add(() => watch.stop());

  return {
    hostKey: hostKey ?? '',
    get lost() {
      return lost;
    },
    exec: (command) => opened(client, (done) => client.exec(command, done)),
    forward: (host, port) => opened(client, (done) => client.forwardOut('127.0.0.1', 0, host, port, done)),
    onLost: (listener) => {
      if (lost === null) listeners.add(listener);
      else listener(lost);
      return () => listeners.delete(listener);
    },
    close: () => {
      fail(notReached(shownHost(config), 'the connection was let go'));
      client.end();
      socket.destroy();
    },
  };
}

async function opened(
  client: Client,
  open: (done: (error: Error | undefined, channel: ClientChannel) => void) => void,
): Promise<ClientChannel> {
  return await new Promise((resolve, reject) => {
    try {
      open((error, channel) => {
        if (error) reject(error);
        else {
          widenWindow(channel);
          resolve(channel);
        }
      });
    } catch (error) {
      client.destroy();
      reject(error);
    }
  });
}

/** The time that each step of a beginning may take. */
class Stage {
  late: (doing: string) => void = () => undefined;
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  begin(doing: string): void {
    this.end();
    this.#timer = setTimeout(() => this.late(doing), this.#milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
