import { spawn } from 'node:child_process';
import { open, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { HerError } from '../errors.ts';
import type { SshConfig } from './resolve.ts';
import type { SystemFolder } from './system-config.ts';
import { systemSshError } from './system-ssh-errors.ts';
import { notReached } from './unreachable.ts';

/** A connection of the system's `ssh` in the background, which other `ssh`s share over its socket. */
export type Master = {
  readonly lost: HerError | null;
  readonly hostKey: string | null;
  /** Options with which an `ssh` takes this connection. */
  readonly options: readonly string[];
  /** Looks whether it still stands, at most every so often. */
  check(): Promise<void>;
  broke(error: HerError): void;
  close(): Promise<void>;
};

/** Seconds without a session after which it ends by itself: what a killed `her` leaves does not stay. */
const persistSeconds = 120;
const checkEveryMs = 15_000;
const startMs = 120_000;

export async function openMaster(config: SshConfig, folder: SystemFolder, number: number): Promise<Master> {
  const socket = join(folder.path, `m${number}`);
  const log = join(folder.path, `m${number}.log`);
  const options = ['-F', folder.config, '-o', `ControlPath=${socket}`];
  // A file and no pipe: the background process keeps it, and so would a pipe's reader wait for it.
  const file = await open(log, 'a', 0o600);
  const args = ['-v', '-fN', '-o', 'ControlMaster=yes', '-o', `ControlPersist=${persistSeconds}`];
  const started = await inBackground([...options, ...args, '--', config.name], file.fd).finally(() =>
    file.close(),
  );
  const said = await readFile(log, 'utf8').catch(() => '');
  if (started !== 0) {
    await rm(log, { force: true });
    throw started === null
      ? notReached(config.name, `ssh did not get there in ${startMs / 1000} s`)
      : systemSshError(config, said);
  }
  const keys = [...said.matchAll(/Server host (?:key|certificate): \S+ (SHA256:[A-Za-z0-9+/]+)/g)];
  const control = (command: 'check' | 'exit') =>
    execa('ssh', [...options, '-O', command, '--', config.name], {
      stdin: 'ignore',
      reject: false,
      timeout: 10_000,
      detached: true,
    });
  let lost: HerError | null = null;
  let checked = performance.now();
  return {
    options: [...options, '-o', 'ControlMaster=no'],
    hostKey: keys.at(-1)?.[1] ?? null,
    get lost() {
      return lost;
    },
    check: async () => {
      if (lost !== null || performance.now() - checked < checkEveryMs) return;
      checked = performance.now();
      await truncate(log).catch(() => undefined);
      if ((await control('check')).exitCode !== 0)
        lost ??= notReached(config.name, 'the connection had ended');
    },
    broke: (error) => {
      lost ??= error;
      void control('exit');
    },
    close: async () => {
      lost ??= notReached(config.name, 'the connection to it was let go');
      await control('exit');
    },
  };
}

/** Runs `ssh` until it has gone into the background, or failed. Null where it was too late. */
async function inBackground(args: readonly string[], log: number): Promise<number | null> {
  const child = spawn('ssh', args, { stdio: ['ignore', 'ignore', log], detached: true, timeout: startMs });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
