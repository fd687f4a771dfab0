import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { HerError } from '../errors.ts';
import type { Measuring, Said } from './measured.ts';

type Over = Extract<Said, { is: 'over' }>;

/** The process that is measured. */
export type Orchestrator = {
  pid: number;
  /** Every agent was started and is in the ledger. */
  running: Promise<void>;
  /** Every job is done and the ledger closed. */
  over: Promise<Over>;
  /** Has it let go, and waits until it has ended. */
  end(): Promise<void>;
};

export function startOrchestrator(
  measuring: Measuring,
  { profile, log }: { profile: string | null; log: string },
): Orchestrator {
  const options = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const own = [...options, join(import.meta.dirname, 'measured.ts'), JSON.stringify(measuring)];
  const child = execa(process.execPath, own, {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: { file: log },
    buffer: false,
    // Ctrl-C is for the one who measures.
    detached: true,
    reject: false,
  });
  const running = Promise.withResolvers<void>();
  const over = Promise.withResolvers<Over>();
  for (const { promise } of [running, over]) promise.catch(() => undefined);
  let told: Over | undefined;
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    const said = JSON.parse(line) as Said;
    if (said.is === 'running') running.resolve();
    else told = said;
  });
  void Promise.all([child, once(lines, 'close')]).then(([{ exitCode }]) => {
    if (exitCode === 0 && told !== undefined) over.resolve(told);
    const failed = new HerError('AGENT_FAILED', `the measured orchestrator ended with exit code ${exitCode}`);
    running.reject(failed);
    over.reject(failed);
  });
  return {
    pid: child.pid ?? 0,
    running: running.promise,
    over: over.promise,
    end: async () => {
      child.stdin.end();
      await child;
    },
  };
}
