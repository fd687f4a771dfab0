import { stat } from 'node:fs/promises';
import type { Plan } from '@her/configs';
import { execa } from 'execa';
import { readPlainFile, Unreadable } from '../plain-file.ts';
import { oneLine } from '../views/words.ts';

export type SecretSource = Plan['secrets'][string];

export type Sources = {
  /** The caller's variables, those that were withheld among them. */
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of a path that the study wrote. */
  locate: (path: string) => string;
  say: (line: string) => void;
  signal: AbortSignal;
};

/** What a variable of a process can hold, in bytes: Linux takes no more in one word. */
const mostBytes = 128 * 1024 - 1024;
/** Seconds for a command that may ask a person for a passphrase. */
const patience = 120;

/** Why a value cannot be had. Never holds the value, nor what a command printed. */
export class NoSecret extends Error {
  override name = 'NoSecret';
}

/**
 * The value of one secret, without the newline at its end.
 * @param name what it is called in messages
 * @throws {NoSecret}
 */
export async function readSecret(name: string, source: SecretSource, sources: Sources): Promise<string> {
  const value = await rawText(name, source, sources);
  if (value === '')
    throw new NoSecret('env' in source ? `${source.env} is not set here` : `${wordsOf(source)} is empty`);
  if (value.includes('\0')) throw new NoSecret(`${wordsOf(source)} holds a NUL, which no variable can`);
  if (Buffer.byteLength(value) > mostBytes)
    throw new NoSecret(`${wordsOf(source)} has more than the ${mostBytes} bytes that a variable can hold`);
  return value;
}

async function rawText(name: string, source: SecretSource, sources: Sources): Promise<string> {
  if ('env' in source) return sources.env[source.env] ?? '';
  if ('file' in source) return text(source, await fromFile(name, source.file, sources));
  return text(source, await fromCommand(name, source.command, sources));
}

async function fromFile(name: string, written: string, { locate, say }: Sources): Promise<Uint8Array> {
  const path = locate(written);
  try {
    const bytes = await readPlainFile(path, mostBytes);
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) say(`secret ${name}: ${written} may be read by others: chmod 600 ${written}`);
    return bytes;
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    throw new NoSecret(`${written} cannot be read: ${cause.message}`, { cause });
  }
}

async function fromCommand(
  name: string,
  [program = '', ...args]: readonly string[],
  { say, signal, env }: Sources,
): Promise<Uint8Array> {
  const done = await execa(program, args, {
    reject: false,
    stdin: 'ignore',
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: { stdout: mostBytes + 2, stderr: 64 * 1024 },
    timeout: patience * 1000,
    cancelSignal: signal,
    // What was withheld from our own children, a tool that is asked for secrets may need.
    env: given(env),
  });
  const said = Buffer.from(done.stderr ?? '').toString('utf8');
  for (const line of said
    .split('\n')
    .filter((row) => row.trim() !== '')
    .slice(0, 20))
    say(`secret ${name}: \`${program}\` says: ${oneLine(line)}`);
  if (done.exitCode === 0 && !done.isMaxBuffer) return done.stdout;
  throw new NoSecret(`\`${program}\` ${endOf(done)}`);
}

function endOf(done: {
  timedOut: boolean;
  isCanceled: boolean;
  isMaxBuffer: boolean;
  exitCode?: number | undefined;
  code?: string | undefined;
}) {
  if (done.timedOut) return `did not end within ${patience} s`;
  if (done.isCanceled) return 'was let go';
  if (done.isMaxBuffer) return 'printed more than a variable can hold';
  if (done.code === 'ENOENT') return 'is not there';
  return `ended with ${done.exitCode === undefined ? (done.code ?? 'a signal') : `exit code ${done.exitCode}`}`;
}

function text(source: SecretSource, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    // The cause would say where in the value.
    throw new NoSecret(`${wordsOf(source)} is no UTF-8 text`);
  }
}

/** Where a value comes from, in words. */
function wordsOf(source: SecretSource): string {
  if ('env' in source) return source.env;
  return 'file' in source ? source.file : `what \`${source.command[0] ?? ''}\` printed`;
}

function given(env: Sources['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
