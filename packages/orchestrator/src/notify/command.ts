import { execa } from 'execa';
import type { Send } from './deliver.ts';

/** Seconds for a command. */
const patience = 30;
/** What a program on a desktop needs to be one; nothing else of the caller's environment reaches it. */
const kept = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TMPDIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** Runs a command, without a shell, with the message on its standard input. It is not run again: it may have done half. */
export function commandSend([program = '', ...args]: readonly string[]): Send {
  return async (message, signal) => {
    const done = await execa(program, args, {
      reject: false,
      input: `${message}\n`,
      stdout: 'ignore',
      stderr: 'ignore',
      env: Object.fromEntries(kept.flatMap((name) => variable(name))),
      extendEnv: false,
      // Ctrl-C is not for it.
      detached: true,
      timeout: patience * 1000,
      forceKillAfterDelay: 2_000,
      cancelSignal: signal,
    });
    if (done.exitCode === 0) return { done: true };
    return { done: false, why: `\`${program}\` ${endOf(done)}`, again: false };
  };
}

function variable(name: string): [string, string][] {
  const value = process.env[name];
  return value === undefined ? [] : [[name, value]];
}

function endOf(done: {
  timedOut: boolean;
  code?: string | undefined;
  exitCode?: number | undefined;
}): string {
  if (done.timedOut) return `did not end within ${patience} s`;
  if (done.code === 'ENOENT') return 'is not there';
  return done.exitCode === undefined ? 'was killed' : `ended with exit code ${done.exitCode}`;
}
