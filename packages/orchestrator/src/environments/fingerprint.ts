import { cpus, release, totalmem, type } from 'node:os';
import { execa } from 'execa';
import { installation } from '../home.ts';
import type { ReadyEnvironment } from './sync.ts';

/** What an attempt ran on, as far as this machine can tell. The lock's digest stands for every package version. */
export async function fingerprintOf(
  ready: ReadyEnvironment,
): Promise<{ digest: string; facts: Record<string, string | number> }> {
  const commit = await execa('git', ['-C', installation, 'describe', '--always', '--dirty', '--abbrev=40'], {
    reject: false,
  });
  return {
    digest: ready.lockDigest,
    facts: {
      environment: ready.name,
      code: commit.exitCode === 0 ? commit.stdout.trim() : 'not a git checkout',
      kernel: `${type()} ${release()}`,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
    },
  };
}
