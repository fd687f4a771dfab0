import { z } from 'zod';
import { HerError } from '../../errors.ts';
import { parseJson, refusalIn } from '../agent-answer.ts';
import type { AgentCall } from '../agent-verbs.ts';
import type { Seen } from './agent-replies.ts';

export type Waiting = { root: string; attempt: string; index: number; seen: Seen };

/**
 * Hands secrets to an agent that waits for them in its allocation: one more step beside it takes them on its standard
 * input. Somebody else may have brought them meanwhile; then there is nothing to do.
 * @throws {HerError} `AGENT_UNREACHABLE`: it is tried again
 */
export async function handSecrets(
  { runner, python, agent }: AgentCall,
  { root, attempt, index, seen }: Waiting,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  const missing = seen.waitsFor.filter((name) => secrets[name] === undefined);
  if (missing.length > 0)
    throw new HerError('AGENT_UNREACHABLE', `the agent of ${attempt} waits for ${missing.join(', ')}`, {
      hint: 'The study must name where each comes from.',
    });
  const given = Object.fromEntries(seen.waitsFor.map((name) => [name, secrets[name] ?? '']));
  const verb = ['slurm-secrets', '--root', root, '--attempt', attempt, '--index', String(index)];
  const place = [`--jobid=${seen.waitsIn ?? ''}`, `--nodelist=${seen.waitsOn ?? ''}`];
  const step = ['--overlap', ...place, '--nodes=1', '--ntasks=1'];
  const shape = ['--mem=0', '--cpu-bind=none', '--mpi=none', '--export=NONE', '--quiet'];
  // Without an environment there is no PATH: a shell has one of its own, the same as in the batch script.
  const found = ['/bin/sh', '-c', 'exec "$@"', 'sh', python];
  const result = await runner.run(['srun', ...step, ...shape, ...found, agent, ...verb], {
    input: JSON.stringify(given),
    timeout: 60,
  });
  const said = parseJson(result.stdout.trim());
  if (result.exitCode === 0 && z.object({ taken: z.literal(true) }).safeParse(said).success) return;
  const refused = refusalIn(said);
  if (refused?.agentCode === 'nobody-waits') return;
  const why = refused?.message ?? result.stderr.trim().split('\n').at(-1) ?? '';
  throw new HerError('AGENT_UNREACHABLE', `the secrets could not be handed to ${attempt}: ${why}`);
}
