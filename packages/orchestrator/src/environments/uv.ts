import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { exitCodes, HerError } from '../errors.ts';

/** The uv that reads our locks. */
export const uvVersion = '0.13.9';

/** The path of our own uv, installed into a virtual environment of its own on first use. */
export async function ensureUv(
  folder: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const home = join(folder, `uv-${uvVersion}`);
  const uv = join(home, 'bin', 'uv');
  if (await isThere(uv)) return uv;
  say(`uv ${uvVersion}: about 25 MB to download`);
  await mkdir(folder, { recursive: true });
  const python = await findPython(signal);
  const quietly = ['install', '--quiet', '--disable-pip-version-check'];
  try {
    await execa(python, ['-m', 'venv', '--clear', home], stoppable(signal));
    const pip = join(home, 'bin', 'python');
    await execa(pip, ['-m', 'pip', ...quietly, `uv==${uvVersion}`], stoppable(signal));
  } catch (cause) {
    if (signal.aborted) throw interrupted(`uv ${uvVersion}`, cause);
    throw new HerError(
      'UV_SETUP',
      `uv ${uvVersion} could not be installed into ${home}: ${lastLine(cause)}`,
      {
        hint: 'Needed: Python 3.11 with its venv module (on Debian and Ubuntu: python3-venv), and access to a Python package index.',
        exitCode: exitCodes.setup,
        cause,
      },
    );
  }
  return uv;
}

/** A Python 3.11 on this machine, which the locked environments are made for. */
export async function findPython(signal: AbortSignal): Promise<string> {
  for (const candidate of ['python3.11', 'python3', 'python']) {
    const probe = await execa(candidate, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
      ...stoppable(signal),
      reject: false,
    });
    if (signal.aborted) throw interrupted('Python 3.11', probe);
    if (probe.exitCode === 0 && probe.stdout.trim() === '3.11') return candidate;
  }
  throw new HerError(
    'UV_SETUP',
    'no Python 3.11 was found on this machine (tried python3.11, python3, python).',
    {
      hint: 'Install Python 3.11 and put it on PATH.',
      exitCode: exitCodes.setup,
    },
  );
}

/**
 * A step of setting up in a process group of its own: Ctrl-C reaches `her` alone, which ends the whole group when the
 * signal aborts and when it dies itself. (With `detached` execa would do neither for the children.)
 */
export function stoppable(signal: AbortSignal) {
  return { cancelSignal: signal, killDescendants: true } as const;
}

export function interrupted(what: string, cause: unknown): HerError {
  return new HerError('ENVIRONMENT_SETUP', `interrupted while setting up ${what}`, {
    hint: 'The same command goes on; what was downloaded is kept.',
    exitCode: exitCodes.detached,
    cause,
  });
}

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function lastLine(cause: unknown): string {
  const text = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
  return text.trim().split('\n').at(-1) ?? '';
}
