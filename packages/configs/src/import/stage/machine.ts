import type { TrainerCommand } from '../trainer-command.ts';
import { isSecretVariable } from './secrets.ts';
import type { Taken } from './take.ts';

/** More than anybody has; a larger number in a script is a mistake, and a study would list as many hosts. */
export const mostNodes = 4096;
export const mostGpus = 64;

/** Variables that only tell a launcher who is who; the target says it. */
const launcherVariables =
  /^(NPROC_PER_NODE|NNODES|NODE_RANK|MASTER_ADDR|MASTER_PORT|CUDA_VISIBLE_DEVICES|WORLD_SIZE|RANK|LOCAL_RANK)$/;
/** They say where programs and libraries of the script's machine lie; a job has those of its own environment. */
const ofTheMachine =
  /^(PATH|HOME|PWD|OLDPWD|SHELL|ENV|BASH_ENV|IFS|CDPATH|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|VIRTUAL_ENV|CONDA_PREFIX|LD_[A-Z_]+)$/;

const ofNpus = /(^|_)(NPU|ASCEND|HCCL|CANN|ACL)(_|$)/;

/** A launch for another kind of card, told once. */
function noteNpu(env: TrainerCommand['env'], taken: Taken): void {
  const names = Object.keys(env).filter((name) => ofNpus.test(name));
  const [first = ''] = names;
  if (names.length === 0) return;
  const message = `the launch is for NPUs (${names.join(', ')}); a study's targets have CUDA GPUs, or none.`;
  taken.note(env[first]?.line ?? 0, first, 'not-carried', message);
}

/**
 * The variables that a stage keeps. Those that this program sets to the same value are left out.
 * @param own the environment that the rendered job has anyway
 */
export function stageEnv(
  { env }: TrainerCommand,
  own: Record<string, string>,
  taken: Taken,
): Record<string, string> {
  const kept: Record<string, string> = {};
  noteNpu(env, taken);
  for (const [name, { value, line, unknown }] of Object.entries(env)) {
    if (ofNpus.test(name)) continue;
    if (launcherVariables.test(name) || name === 'PYTHONHASHSEED' || own[name] === value) continue;
    if (isSecretVariable(name))
      taken.note(line, name, 'secret', 'a study never holds a secret; give it to the node.');
    else if (ofTheMachine.test(name))
      taken.note(line, name, 'not-carried', "it is about the script's machine; a job has its own.");
    else if (unknown.length > 0)
      taken.note(line, name, 'unknown-value', `its value \`${value}\` is known to the running script only.`);
    else kept[name] = value;
  }
  return kept;
}

/** Nodes or GPUs of a node by an option; a number that nobody has is noted, and the trainer's own is taken. */
export function takeSize(taken: Taken, name: string, of: 'nodes' | 'GPUs', otherwise: number): number {
  const most = of === 'nodes' ? mostNodes : mostGpus;
  const line = taken.lineOf(name);
  const written = taken.takeNumber(name);
  if (written === undefined || (Number.isInteger(written) && written >= 1 && written <= most))
    return written ?? otherwise;
  const message = `${written} is no number of ${of} (1 to ${most}); ${otherwise} taken.`;
  taken.note(line, name, 'unknown-value', message);
  return otherwise;
}
