import { Readable } from 'node:stream';
import { execa } from 'execa';
import { feedProcess } from '../process-input.ts';
import type { Runner } from '../runner.ts';

/** The store's credentials are for this process alone: whatever we start here could be read by what it starts. */
function handedOn(): { extendEnv: false; env: Record<string, string | undefined> } {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return { extendEnv: false, env: Object.fromEntries(env) };
}

/** This machine. Each command has a process group of its own: Ctrl-C is not for it. */
export const localRunner: Runner = {
  host: 'local',
  run: async ([program = '', ...args], { input = '', timeout = 60, signal } = {}) => {
    const { exitCode, stdout, stderr, originalMessage } = await execa(program, args, {
      input: typeof input === 'string' || input instanceof Uint8Array ? input : Readable.from(input),
      reject: false,
      detached: true,
      ...handedOn(),
      stripFinalNewline: false,
      ...(signal === undefined ? {} : { cancelSignal: signal }),
      ...(timeout === null ? {} : { timeout: timeout * 1000 }),
    });
    return { exitCode, stdout, stderr, originalMessage };
  },
  stream: ([program = '', ...args], signal, input) => {
    // Standard input stays open: the far side takes its closing, which follows our death however we die, as the end.
    const child = execa(program, args, {
      stdin: 'pipe',
      buffer: { stdout: false, stderr: true },
      detached: true,
      reject: false,
      cancelSignal: signal,
      ...handedOn(),
    } as const);
    if (input !== undefined) void feedProcess(child.stdin, input);
    return { chunks: child.iterable({ binary: true }), ended: Promise.resolve(child) };
  },
  close: async () => undefined,
};
