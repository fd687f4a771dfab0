import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import type { AgentExit } from '../targets/agent-answer.ts';
import { feedProcess } from '../targets/process-input.ts';
import type { RunOptions } from '../targets/runner.ts';
import { streamedBy } from '../targets/streamed-by.ts';
import { abortable } from './abortable.ts';
import { commandLine } from './command-line.ts';
import { openLanes, type Use } from './lanes.ts';
import { openRedial } from './redial.ts';
import type { SshConfig } from './resolve.ts';
import { runLimit } from './run-limit.ts';
import type { Ssh2Runner } from './ssh2-runner.ts';
import { makeSystemFolder, type SystemFolder } from './system-config.ts';
import { type Master, openMaster } from './system-master.ts';
import { systemSshError } from './system-ssh-errors.ts';
import { notReached } from './unreachable.ts';

/** The exit code by which `ssh` says that it was itself that failed. */
const sshFailed = 255;

type Ready = { master: Master; argv: string[]; log: string; release: () => void };

/**
 * The same over the system's `ssh`, whose sessions share a connection. What `ssh` says itself goes to a file of its own,
 * so that it is never taken for what the command said.
 * @param onHostKey is told the key of each new connection
 */
export function openSystemSsh(
  config: SshConfig,
  hops: readonly SshConfig[],
  project: string,
  onHostKey: (fingerprint: string) => Promise<void> = async () => undefined,
): Ssh2Runner {
  const host = config.name;
  const closing = new AbortController();
  const masters = new Set<Master>();
  let folder: Promise<SystemFolder> | undefined;
  let numbers = 0;
  let hostKey: string | null = null;
  const makeFolder = (): Promise<SystemFolder> => {
    folder ??= makeSystemFolder([config, ...hops], project);
    return folder;
  };
  const redial = openRedial(async () => {
    numbers += 1;
    const master = await openMaster(config, await makeFolder(), numbers);
    masters.add(master);
    hostKey = master.hostKey;
    if (hostKey !== null) await onHostKey(hostKey);
    return master;
  });
  const lanes = openLanes(redial.attempt, ({ lost }) => lost !== null);

  const ready = async (
    argv: readonly string[],
    use: Use,
    signal: AbortSignal,
  ): Promise<Ready | undefined> => {
    for (;;) {
      if (closing.signal.aborted) throw notReached(host, 'the connection to it was let go');
      const slot = await abortable(lanes.take(use), signal, (late) => late.release());
      if (slot === undefined) return undefined;
      await slot.connection.check();
      if (slot.connection.lost !== null) {
        masters.delete(slot.connection);
        slot.release();
        continue;
      }
      numbers += 1;
      const log = join((await makeFolder()).path, `s${numbers}.log`);
      const { connection: master, release } = slot;
      return {
        master,
        argv: [...master.options, '-T', '-E', log, '--', host, commandLine(argv)],
        log,
        release,
      };
    }
  };
  /** The error where it was `ssh` that failed; the far side's own 255 leaves no word of it. */
  const failure = async ({ log, master }: Ready, exitCode: number | undefined) => {
    if (exitCode !== sshFailed) return undefined;
    const said = await readFile(log, 'utf8').catch(() => '');
    if (said.trim() === '') return undefined;
    const error = systemSshError(config, said);
    masters.delete(master);
    master.broke(error);
    redial.broke();
    lanes.wake();
    return error;
  };
  const done = async ({ log, release }: Ready): Promise<void> => {
    release();
    await rm(log, { force: true });
  };

  async function* streamed(
    argv: readonly string[],
    signal: AbortSignal,
    input: AsyncIterable<Uint8Array> | undefined,
  ): AsyncGenerator<Uint8Array, AgentExit> {
    const over = AbortSignal.any([signal, closing.signal]);
    const found = await ready(argv, 'stream', over);
    if (found === undefined) return { originalMessage: 'it was let go' };
    try {
      // Standard input stays open, and closes when we die.
      const child = execa('ssh', found.argv, {
        stdin: 'pipe',
        buffer: { stdout: false, stderr: true },
        detached: true,
        reject: false,
        cancelSignal: over,
      } as const);
      if (input !== undefined) void feedProcess(child.stdin, input);
      yield* child.iterable({ binary: true });
      const exit = await child;
      const error = over.aborted ? undefined : await failure(found, exit.exitCode);
      if (error !== undefined) throw error;
      return exit;
    } finally {
      await done(found);
    }
  }

  return {
    host,
    get hostKey() {
      return hostKey;
    },
    connect: async () => (await lanes.take('run')).release(),
    run: async (argv, { input = '', ...until } = {}) => {
      const { over, why, unopened } = runLimit(host, until, closing.signal);
      const found = await ready(argv, 'run', over);
      if (found === undefined) return unopened();
      try {
        const result = await execa('ssh', found.argv, {
          ...inputOf(input),
          reject: false,
          detached: true,
          stripFinalNewline: false,
          maxBuffer: 256 * 1024 * 1024,
          cancelSignal: over,
        });
        const error = over.aborted ? undefined : await failure(found, result.exitCode);
        if (error !== undefined) throw error;
        const { exitCode, stdout, stderr, originalMessage } = result;
        const ended = over.aborted && exitCode === undefined ? why() : originalMessage;
        return { exitCode, stdout, stderr, originalMessage: ended };
      } finally {
        await done(found);
      }
    },
    stream: (argv, signal, input) => streamedBy(() => streamed(argv, signal, input)),
    close: async () => {
      closing.abort();
      redial.close();
      await Promise.all([...masters].map((master) => master.close()));
      await (await folder?.catch(() => undefined))?.remove();
    },
  };
}

function inputOf(input: NonNullable<RunOptions['input']>): { input: string | Uint8Array | Readable } {
  return { input: typeof input === 'string' || input instanceof Uint8Array ? input : Readable.from(input) };
}
