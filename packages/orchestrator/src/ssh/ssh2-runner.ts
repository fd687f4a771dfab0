import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientChannel } from 'ssh2';
import type { AgentExit } from '../targets/agent-answer.ts';
import type { Runner, RunResult } from '../targets/runner.ts';
import { abortable } from './abortable.ts';
import { feed } from './channel-input.ts';
import { chunksOf, endOf, Kept } from './channel-reading.ts';
import { commandLine } from './command-line.ts';
import type { Connection } from './connection.ts';
import { openLanes, type Slot, type Use } from './lanes.ts';
import { openRedial } from './redial.ts';
import { type RunLimit, runLimit } from './run-limit.ts';
import { notReached } from './unreachable.ts';

/** More than this of an output is no answer to anything that we ask. */
const mostOutput = 256 * 1024 * 1024;
const keptOfStderr = 64 * 1024;
/** A command that was told to end by its closed input gets this long before its channel is closed. */
const graceMs = 5000;

export type Ssh2Runner = Runner & {
  /** Connects now, where it is not connected. */
  connect(): Promise<void>;
  /** The fingerprint of the host's key, once connected. */
  readonly hostKey: string | null;
};

type Opened = { channel: ClientChannel; connection: Connection };

/** @param connect opens one connection; it is never called twice at once */
export function openSsh2Runner(host: string, connect: () => Promise<Connection>): Ssh2Runner {
  const all = new Set<Connection>();
  const closing = new AbortController();
  let hostKey: string | null = null;
  const redial = openRedial(async () => {
    const connection = await connect();
    if (closing.signal.aborted) {
      connection.close();
      throw closed();
    }
    all.add(connection);
    hostKey = connection.hostKey;
    connection.onLost(() => {
      all.delete(connection);
      redial.broke();
      lanes.wake();
    });
    return connection;
  });
  const lanes = openLanes(redial.attempt, ({ lost }) => lost !== null);
  const closed = (): Error => notReached(host, 'the connection to it was let go');

  const openChannel = async (command: string, use: Use, signal: AbortSignal): Promise<Opened | undefined> => {
    for (let refusals = 0; ; ) {
      if (closing.signal.aborted) throw closed();
      const slot = await abortable(lanes.take(use), signal, (late) => late.release());
      if (slot === undefined) return undefined;
      const { connection } = slot;
      if (connection.lost !== null) {
        slot.release();
        continue;
      }
      try {
        const channel = await abortable(connection.exec(command), signal, letGo);
        if (channel === undefined) {
          slot.release();
          return undefined;
        }
        return { channel: held(channel, slot), connection };
      } catch (cause) {
        if (connection.lost === null && isRefusal(cause) && refusals < 20) {
          // Where nothing of ours is open, sessions that end there just now are in the way.
          refusals += 1;
          slot.refused();
          await sleep(Math.min(1000, 20 * refusals) * Math.random());
          continue;
        }
        slot.release();
        throw (
          connection.lost ?? notReached(host, cause instanceof Error ? cause.message : String(cause), cause)
        );
      }
    }
  };

  return {
    host,
    get hostKey() {
      return hostKey;
    },
    connect: async () => (await lanes.take('run')).release(),
    run: async (argv, { input = '', ...until } = {}) => {
      const limit = runLimit(host, until);
      const opened = await openChannel(commandLine(argv), 'run', limit.over);
      return opened === undefined ? limit.unopened() : await collect(opened, input, limit);
    },
    stream: (argv, signal, input) => {
      const ended = Promise.withResolvers<AgentExit>();
      ended.promise.catch(() => undefined);
      const opening = openChannel(commandLine(argv), 'stream', signal);
      opening.catch((error) => ended.reject(error));
      if (input !== undefined)
        // A channel that closed takes no more; how it ended says what happened.
        void opening.then((opened) => opened && feed(opened.channel, input)).catch(() => undefined);
      const abort = (): void =>
        void opening.then(
          (opened) => opened && letGo(opened.channel),
          () => undefined,
        );
      signal.addEventListener('abort', abort, { once: true });
      void ended.promise.finally(() => signal.removeEventListener('abort', abort)).catch(() => undefined);
      return { chunks: streamed(opening, signal, ended), ended: ended.promise };
    },
    close: async () => {
      closing.abort();
      redial.close();
      for (const connection of all) connection.close();
    },
  };
}

/** A channel that gives its place back when it closes, however it does. */
function held(channel: ClientChannel, slot: Slot<Connection>): ClientChannel {
  const forget = slot.connection.onLost(() => slot.release());
  channel.once('close', () => {
    forget();
    slot.release();
  });
  // Errors that come after the end of a channel have nobody else to go to.
  channel.on('error', () => undefined);
  channel.stderr.on('error', () => undefined);
  return channel;
}

async function collect(
  { channel, connection }: Opened,
  input: Parameters<typeof feed>[1],
  { over, why }: RunLimit,
): Promise<RunResult> {
  const stdout = new Kept(mostOutput);
  const stderr = new Kept(mostOutput);
  channel.on('data', (chunk: Buffer) => stdout.add(chunk));
  channel.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  const { promise: broken, reject: lost } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const forget = connection.onLost(lost);
  const fed = feed(channel, input);
  fed.catch(lost);
  try {
    const end = await abortable(Promise.race([endOf(channel), broken]), over);
    // A channel that closed without the command's end closed because the connection did.
    if (end !== undefined && end.code === undefined && connection.lost !== null) throw connection.lost;
    const outputs = { stdout: stdout.text(), stderr: stderr.text() };
    if (end === undefined) {
      letGo(channel);
      return { exitCode: undefined, ...outputs, originalMessage: why() };
    }
    if (stdout.over || stderr.over)
      return { exitCode: undefined, ...outputs, originalMessage: `it said more than ${mostOutput} bytes` };
    return {
      exitCode: end.code,
      ...outputs,
      ...(end.code === undefined ? { originalMessage: signalWords(end.signal) } : {}),
    };
  } catch (error) {
    if (connection.lost === null) letGo(channel);
    throw error;
  } finally {
    forget();
  }
}

async function* streamed(
  opening: Promise<Opened | undefined>,
  signal: AbortSignal,
  ended: PromiseWithResolvers<AgentExit>,
): AsyncGenerator<Uint8Array> {
  const opened = await opening;
  if (opened === undefined) {
    ended.resolve({ originalMessage: 'it was let go' });
    return;
  }
  const { channel, connection } = opened;
  const stderr = new Kept(keptOfStderr);
  channel.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  const over = Promise.withResolvers<void>();
  const forget = connection.onLost(() => over.resolve());
  const abort = (): void => over.resolve();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const closed = endOf(channel);
  let left = true;
  try {
    for await (const chunk of chunksOf(channel, over.promise)) {
      if (signal.aborted) break;
      yield chunk;
    }
    left = false;
    if (signal.aborted) return;
    const end = await Promise.race([closed, over.promise]);
    if (signal.aborted) return;
    if (connection.lost !== null && (end === undefined || end.code === undefined)) {
      ended.reject(connection.lost);
      throw connection.lost;
    }
    const { code, signal: by } = end ?? {};
    const exit = { exitCode: code, stderr: stderr.text() };
    ended.resolve(code === undefined ? { ...exit, originalMessage: signalWords(by) } : exit);
  } finally {
    signal.removeEventListener('abort', abort);
    forget();
    if (signal.aborted || left) {
      letGo(channel);
      ended.resolve({ stderr: stderr.text(), originalMessage: 'it was let go' });
    }
  }
}

/** Closes a command's input, which it takes as its end; what it still says is thrown away; then closes the channel. */
function letGo(channel: ClientChannel): void {
  channel.removeAllListeners('data');
  channel.on('error', () => undefined);
  channel.resume();
  channel.stderr.resume();
  channel.end();
  const late = setTimeout(() => {
    channel.signal('TERM');
    channel.close();
  }, graceMs);
  late.unref();
  channel.once('close', () => clearTimeout(late));
}

function signalWords(signal: string | undefined): string {
  return signal === undefined ? 'it ended without an exit code' : `ended by ${signal}`;
}

/** The server's own refusal of a channel, as for MaxSessions. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof Error && typeof (cause as { reason?: unknown }).reason === 'number';
}
