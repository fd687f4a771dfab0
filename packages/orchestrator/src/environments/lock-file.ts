import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installation } from '../home.ts';

export type EnvironmentName = 'swift' | 'verl';

/** The folders of `infra/envs`. */
export type LockName = EnvironmentName | 'verl-cuda';

/** The lock that a trainer is installed from: verl's engine has one build for CPUs and another for NVIDIA's GPUs. */
export function lockNameFor(name: EnvironmentName, gpus: boolean): LockName {
  return name === 'verl' && gpus ? 'verl-cuda' : name;
}

/** What a trainer environment's lock says, read without uv. */
export type EnvironmentLock = {
  name: EnvironmentName;
  lock: LockName;
  project: string;
  digest: string;
  packages: number;
  bytes: number;
};

export const environmentLabels: Record<EnvironmentName, string> = {
  swift: 'ms-swift 4.6.0',
  verl: 'verl 0.9.1',
};

/** Unpacked, the packages take about this many times what is downloaded. */
export const unpackedFactor = 2.6;

/**
 * Reads `infra/envs/NAME/uv.lock`: its digest, how many packages it names and how much there is to download.
 * @param gpus whether it is for a machine with GPUs
 */
export async function readEnvironmentLock(name: EnvironmentName, gpus = false): Promise<EnvironmentLock> {
  const lockName = lockNameFor(name, gpus);
  const project = join(installation, 'infra', 'envs', lockName);
  const [lock, pyproject] = await Promise.all([
    readFile(join(project, 'uv.lock'), 'utf8'),
    readFile(join(project, 'pyproject.toml'), 'utf8'),
  ]);
  const digest = createHash('sha256').update(lock).update('\0').update(pyproject).digest('hex');
  return { name, lock: lockName, project, digest, ...downloadOf(lock) };
}

/**
 * Of each locked package one file is downloaded: the wheel for this platform where there is one, else the source.
 * Sizes stand in the lock beside the files.
 */
function downloadOf(lock: string): { packages: number; bytes: number } {
  const sections = lock.split(/^\[\[package\]\]$/m).slice(1);
  const sizes = sections.map((section) => {
    const files = [...section.matchAll(/url = "([^"]+)"[^}]*?size = (\d+)/g)].map(([, url = '', size]) => ({
      url,
      size: Number(size),
    }));
    const fit = files.find(({ url }) => /(-cp311-cp311-|-abi3-|-cp3\d+-abi3-).*x86_64\.whl$/.test(url));
    const anywhere =
      files.find(({ url }) => /-none-any\.whl$/.test(url)) ??
      files.find(({ url }) => /-none-.*x86_64\.whl$/.test(url));
    return (fit ?? anywhere ?? files[0])?.size ?? 0;
  });
  return { packages: sections.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
