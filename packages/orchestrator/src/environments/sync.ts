import { mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { exitCodes, HerError } from '../errors.ts';
import { installation } from '../home.ts';
import {
  type EnvironmentLock,
  type EnvironmentName,
  environmentLabels,
  readEnvironmentLock,
  unpackedFactor,
} from './lock-file.ts';
import { ensureUv, findPython, interrupted, stoppable } from './uv.ts';

/** A trainer environment that is set up as its lock says. */
export type ReadyEnvironment = { name: EnvironmentName; folder: string; lockDigest: string };

const readyFile = '.her-ready.json';

export function environmentFolder(root: string, lock: EnvironmentLock): string {
  return join(root, `${lock.name}-${lock.digest.slice(0, 12)}`);
}

/** The environment, if it is set up: one small file is read, no package is looked at. */
export async function findEnvironment(
  root: string,
  name: EnvironmentName,
): Promise<ReadyEnvironment | undefined> {
  const lock = await readEnvironmentLock(name);
  const folder = environmentFolder(root, lock);
  const ready = await readFile(join(folder, readyFile), 'utf8').catch(() => undefined);
  if (ready === undefined || JSON.parse(ready).installation !== installation) return undefined;
  return { name, folder, lockDigest: lock.digest };
}

/** Sets up what is missing, saying beforehand how much will be downloaded and afterwards how long it took. */
export async function ensureEnvironments(
  root: string,
  names: readonly EnvironmentName[],
  say: (line: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<Map<EnvironmentName, ReadyEnvironment>> {
  const ready = new Map<EnvironmentName, ReadyEnvironment>();
  const missing: EnvironmentLock[] = [];
  for (const name of names) {
    const found = await findEnvironment(root, name);
    if (found === undefined) missing.push(await readEnvironmentLock(name));
    else ready.set(name, found);
  }
  if (missing.length === 0) return ready;
  for (const lock of missing) {
    say(
      `${environmentLabels[lock.name]}: ${lock.packages} packages, at most ${gigabytes(lock.bytes)} to download (less where uv has them already), ${estimate(lock.bytes)}`,
    );
  }
  await refuseFullDisk(root, missing);
  const uv = await ensureUv(root, say, signal);
  for (const lock of missing) ready.set(lock.name, await syncEnvironment(root, uv, lock, say, signal));
  return ready;
}

async function syncEnvironment(
  root: string,
  uv: string,
  lock: EnvironmentLock,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<ReadyEnvironment> {
  const folder = environmentFolder(root, lock);
  const label = environmentLabels[lock.name];
  const started = Date.now();
  await rm(join(folder, readyFile), { force: true });
  const beat = setInterval(() => say(`${label}: installing, ${seconds(started)} so far`), 15_000);
  try {
    await execa(uv, ['sync', '--locked', '--no-progress', '--compile-bytecode', '--project', lock.project], {
      env: {
        UV_PROJECT_ENVIRONMENT: folder,
        UV_PYTHON: await findPython(signal),
        UV_PYTHON_DOWNLOADS: 'never',
        VIRTUAL_ENV: undefined,
      },
      ...stoppable(signal),
      all: true,
    });
  } catch (cause) {
    if (signal.aborted) throw interrupted(label, cause);
    throw setupError(label, cause);
  } finally {
    clearInterval(beat);
  }
  const ready = join(folder, readyFile);
  await mkdir(folder, { recursive: true });
  await writeFile(
    `${ready}.tmp`,
    JSON.stringify({ lock: lock.digest, installation, at: new Date().toISOString() }),
  );
  await rename(`${ready}.tmp`, ready);
  say(`${label}: ready after ${seconds(started)}`);
  return { name: lock.name, folder, lockDigest: lock.digest };
}

function setupError(label: string, cause: unknown): HerError {
  const output = cause instanceof Error && 'all' in cause ? String(cause.all) : String(cause);
  const full = /No space left on device|os error 28/.test(output);
  const tail = output.trim().split('\n').slice(-6).join('\n  ');
  return new HerError(
    full ? 'DISK_FULL' : 'ENVIRONMENT_SETUP',
    `the environment of ${label} could not be set up:\n  ${tail}`,
    {
      hint: full
        ? 'Free disk space, then run the same command again.'
        : 'Run the same command again; what was downloaded is kept.',
      exitCode: exitCodes.setup,
      cause,
    },
  );
}

async function refuseFullDisk(root: string, missing: readonly EnvironmentLock[]): Promise<void> {
  await mkdir(root, { recursive: true });
  const { bavail, bsize } = await statfs(root);
  const free = bavail * bsize;
  const wanted = missing.reduce((sum, lock) => sum + lock.bytes * unpackedFactor, 0);
  if (free >= wanted) return;
  throw new HerError(
    'DISK_FULL',
    `${gigabytes(free)} free at ${root}; setting up the trainers takes up to ${gigabytes(wanted)}.`,
    {
      hint: 'Free some, or set HER_ENVIRONMENTS to a folder on another disk.',
      exitCode: exitCodes.setup,
    },
  );
}

function estimate(bytes: number): string {
  const minutes = (perSecond: number): number => Math.max(1, Math.round(bytes / perSecond / 60));
  return `about ${minutes(100e6)} min at 100 MB/s, ${minutes(10e6)} min at 10 MB/s`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function seconds(since: number): string {
  return `${Math.round((Date.now() - since) / 1000)} s`;
}
