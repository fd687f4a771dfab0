import { readdir, readFile } from 'node:fs/promises';
import { execa } from 'execa';

/** A value as a careless program may spell it. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    ...new Set([
      value,
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      encodeURIComponent(value),
    ]),
  ];
}

/** Files below a folder that hold one of the words. `on` is put before the command, to run it elsewhere. */
export async function filesWith(
  words: readonly string[],
  folder: string,
  ...on: string[]
): Promise<string[]> {
  return found([...on, 'grep', '-rlaF', '-D', 'skip', ...patterns(words), '--', folder]);
}

/** The same of the files that were written since `mark` was. */
export async function newFilesWith(
  words: readonly string[],
  folder: string,
  mark: string,
): Promise<string[]> {
  const grep = ['grep', '-laF', ...patterns(words), '--'];
  return found(['find', folder, '-xdev', '-type', 'f', '-newer', mark, '-exec', ...grep, '{}', '+']);
}

function patterns(words: readonly string[]): string[] {
  return words.flatMap((word) => ['-e', word]);
}

/** What is gone meanwhile, or cannot be read, holds nothing; an odd exit code of the tools says just that. */
async function found([program = '', ...args]: readonly string[]): Promise<string[]> {
  const { stdout, failed, exitCode } = await execa(program, args, { reject: false });
  if (failed && exitCode === undefined) throw new Error(`${program} cannot be run`);
  return stdout.split('\n').filter((line) => line !== '');
}

export type Trace = { pid: number; where: 'cmdline' | 'environ'; command: string };

/** Processes of this machine (those of the bed's hosts among them) whose words or variables hold one of the words. */
export async function processesWith(words: readonly string[]): Promise<Trace[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const [cmdline, environ] = await Promise.all([read('cmdline'), read('environ')]);
      const command = cmdline.replaceAll('\0', ' ').trim();
      const holds = (text: string): boolean => words.some((word) => text.includes(word));
      return [
        ...(holds(cmdline) ? [{ pid: Number(pid), where: 'cmdline' as const, command }] : []),
        ...(holds(environ) ? [{ pid: Number(pid), where: 'environ' as const, command }] : []),
      ];
    }),
  );
  return found.flat();
}
