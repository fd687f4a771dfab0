import { execFile, spawn } from 'node:child_process';
import { TestbedError } from './errors.ts';
import type { Argv } from './network-commands.ts';

export type Outcome = { code: number; stdout: string; stderr: string };

/** A command and what it said; `input` goes to its standard input. */
export function attempt(
  [file, ...args]: Argv,
  {
    input = '',
    timeoutMs = 60_000,
    env,
  }: { input?: string; timeoutMs?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024, ...(env ? { env } : {}) };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
      const why = error !== null && typeof error.code !== 'number' ? `${error.message}\n` : '';
      resolve({ code, stdout, stderr: `${stderr}${why}` });
    });
    // A command that ends before it has read its input is judged by its code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** A command that must succeed; its standard output. */
export async function run(argv: Argv, options: Parameters<typeof attempt>[1] = {}): Promise<string> {
  const { code, stdout, stderr } = await attempt(argv, options);
  if (code === 0) return stdout;
  throw new TestbedError(
    'BED_COMMAND',
    `\`${argv.join(' ')}\` ended with ${code}: ${stderr.trim() || stdout.trim()}`,
    'Run `down`, then `up` again; if it happens again, run the command by hand.',
  );
}

/** A command with the terminal of the caller; its exit code. */
export function hand([file, ...args]: Argv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 255));
  });
}
