import { join } from 'node:path';
import { execa } from 'execa';
import type { Report } from '../../infra/testbed/report.ts';
import type { Runner } from '../../packages/orchestrator/src/targets/runner.ts';
import { checkout } from './her.ts';

const main = join(checkout, 'infra', 'testbed', 'main.ts');
const where = process.env['HER_TESTBED_DIR'];

/** A command of the test bed that is up. */
export async function bed(...args: string[]): Promise<string> {
  const dir = where === undefined ? [] : ['--dir', where];
  const { stdout } = await execa(process.execPath, [main, ...args, ...dir]);
  return stdout;
}

/** The bed that is up with Slurm, or why there is none. */
export async function slurmBed(): Promise<Report | string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'the test bed needs root on Linux';
  try {
    const report = JSON.parse(await bed('status', '--json')) as Report;
    if (report.state !== 'up') return `the bed is ${report.state}`;
    return report.slurm === null ? 'the bed has no Slurm' : report;
  } catch (error) {
    return `no bed is up: ${error instanceof Error ? error.message.split('\n').at(-1) : String(error)}`;
  }
}

/** The machine's own ssh, one connection for all; only for tests, which need no more. */
export function sshRunner(config: string, host: string, control: string): Runner {
  const ssh = [
    '-F',
    config,
    '-o',
    'ControlMaster=auto',
    '-o',
    `ControlPath=${control}`,
    '-o',
    'ControlPersist=60',
  ];
  const words = (argv: readonly string[]) =>
    argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return {
    host,
    run: async (argv, { input = '', timeout = 60, signal } = {}) => {
      const { exitCode, stdout, stderr, originalMessage } = await execa('ssh', [...ssh, host, words(argv)], {
        input: typeof input === 'string' || input instanceof Uint8Array ? input : '',
        reject: false,
        stripFinalNewline: false,
        ...(signal === undefined ? {} : { cancelSignal: signal }),
        ...(timeout === null ? {} : { timeout: timeout * 1000 }),
      });
      return { exitCode, stdout, stderr, originalMessage };
    },
    stream: (argv, signal) => {
      const child = execa('ssh', [...ssh, host, words(argv)], {
        stdin: 'pipe',
        buffer: { stdout: false, stderr: true },
        reject: false,
        cancelSignal: signal,
      } as const);
      return { chunks: child.iterable({ binary: true }), ended: Promise.resolve(child) };
    },
    close: async () => {
      await execa('ssh', [...ssh, '-O', 'exit', host], { reject: false });
    },
  };
}
