import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type TrainerPython = 'HER_SWIFT_PYTHON' | 'HER_VERL_PYTHON';

/** The interpreter of a trainer's environment. Where there is none the test is skipped, and in CI it fails. */
export function trainerPython(variable: TrainerPython, skip: (why: string) => never): string {
  const python = process.env[variable];
  if (python) return python;
  const why = `${variable} names no Python with the trainer installed (see infra/envs)`;
  if (process.env['CI'] === 'true') throw new Error(why);
  return skip(why);
}

/** What a script of `contract/` makes of `given`; trainers talk on standard output, so both go by file. */
export function askTrainer<T>(python: string, script: string, given: unknown): T {
  const scratch = mkdtempSync(join(tmpdir(), 'her-contract-'));
  try {
    const [input, output] = [join(scratch, 'in.json'), join(scratch, 'out.json')];
    writeFileSync(input, JSON.stringify(given));
    const path = join(import.meta.dirname, '..', 'contract', script);
    const env = { ...process.env, HF_HUB_OFFLINE: '1', CUDA_VISIBLE_DEVICES: '' };
    execFileSync(python, [path, input, output], { cwd: scratch, env, stdio: ['ignore', 'ignore', 'pipe'] });
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
