import { execa } from 'execa';
import { HerError } from '../errors.ts';

type GitOptions = { input?: string | Uint8Array; env?: Record<string, string>; reject?: boolean };

/** Output of a git command in a folder. Nothing of the repository is written, and no program that it names is run. */
export async function git(
  folder: string,
  args: readonly string[],
  { input = '', env = {}, reject = true }: GitOptions = {},
): Promise<Buffer> {
  const settings = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];
  const result = await execa('git', ['-C', folder, ...settings, ...args], {
    input,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: 1 << 30,
    reject: false,
  });
  if (result.exitCode === 0 || (!reject && result.exitCode === 1)) return Buffer.from(result.stdout);
  const said = Buffer.from(result.stderr ?? [])
    .toString('utf8')
    .trim()
    .split('\n')
    .at(-1);
  throw new HerError(
    'INPUT_UNREADABLE',
    `git ${args[0]} in ${folder}: ${said || result.originalMessage || `exit code ${result.exitCode}`}`,
    { hint: 'Needed: git, and code in a git work tree with at least one commit.', cause: result },
  );
}

/** What a command with `-z` lists. */
export async function gitList(
  folder: string,
  args: readonly string[],
  options?: GitOptions,
): Promise<string[]> {
  return fields(await git(folder, args, options));
}

export function fields(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\0').slice(0, -1);
}
