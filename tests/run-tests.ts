import { join } from 'node:path';
import { execa } from 'execa';
import { ensureEnvironments } from '../packages/orchestrator/src/environments/sync.ts';
import { checkout, environments } from './support/her.ts';

/**
 * `pnpm test`: sets up the trainers' environments where they are missing, then runs every check and test of every
 * package, one after another: most of them want both cores. Arguments go on to turbo, e.g. `pnpm test --filter=@her/ledger`.
 */
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const ready = await ensureEnvironments(environments, ['swift', 'verl'], say);
const python = (name: 'swift' | 'verl'): string => join(ready.get(name)?.folder ?? '', 'bin', 'python');
const tasks = ['lint', 'typecheck', 'test', 'e2e'];
const run = await execa(
  'turbo',
  [
    'run',
    ...tasks,
    '--concurrency=1',
    '--env-mode=loose',
    '--ui=stream',
    '--output-logs=full',
    ...process.argv.slice(2),
  ],
  {
    cwd: checkout,
    stdio: 'inherit',
    reject: false,
    preferLocal: true,
    env: {
      HER_ENVIRONMENTS: environments,
      HER_SWIFT_PYTHON: python('swift'),
      HER_VERL_PYTHON: python('verl'),
      TURBO_TELEMETRY_DISABLED: '1',
      PYTHONDONTWRITEBYTECODE: undefined,
    },
  },
);
process.exitCode = run.exitCode ?? 1;
