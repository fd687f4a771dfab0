import { Readable } from 'node:stream';
import { execa } from 'execa';
import type { Runner } from '../runner.ts';

/** This machine. Each command has a process group of its own: Ctrl-C is not for it. */
export const localRunner: Runner = {
  host: 'local',
  run: async ([program = '', ...args], { input = '', timeout = 60, signal } = {}) => {
    const { exitCode, stdout, stderr, originalMessage } = await execa(program, args, {
      input: typeof input === 'string' || input instanceof Uint8Array ? input : Readable.from(input),
      reject: false,
      detached: true,
      stripFinalNewline: false,
      ...(signal === undefined ? {} : { cancelSignal: signal }),
      ...(timeout === null ? {} : { timeout: timeout * 1000 }),
    });
    return { exitCode, stdout, stderr, originalMessage };
  },
  stream: ([program = '', ...args], signal) => {
    // Standard input stays open: the far side takes its closing, which follows our death however we die, as the end.
    const child = execa(program, args, {
      stdin: 'pipe',
      buffer: { stdout: false, stderr: true },
      detached: true,
      reject: false,
      cancelSignal: signal,
    } as const);
    return { chunks: child.iterable({ binary: true }), ended: Promise.resolve(child) };
  },
  close: async () => undefined,
};
