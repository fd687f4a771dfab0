import { join } from 'node:path';
import { execa } from 'execa';
import { ensureEnvironments } from '../packages/orchestrator/src/environments/sync.ts';
import { checkout, environments } from './support/her.ts';

/**
 * Sets up the trainers' environments where they are missing, then runs a command that needs them, told where they are:
 * `node tests/with-trainers.ts COMMAND ARG…`. `pnpm test` and `pnpm generate` go through here.
 */
const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('usage: with-trainers.ts COMMAND ARG…');

const ready = await ensureEnvironments(environments, ['swift', 'verl'], (line) => {
  process.stderr.write(`${line}\n`);
});
const python = (name: 'swift' | 'verl'): string => join(ready.get(name)?.folder ?? '', 'bin', 'python');
const run = await execa(command, args, {
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
});
process.exitCode = run.exitCode ?? 1;
