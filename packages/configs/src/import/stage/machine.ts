import type { TrainerCommand } from '../trainer-command.ts';
import type { Taken } from './take.ts';

/** The nodes and GPUs that a launch is for, from its launcher's words and its environment. */
export function launchMachine(
  { launcher, env, line }: TrainerCommand,
  taken: Taken,
): { nodes: number; gpusPerNode: number } {
  const visible = env['CUDA_VISIBLE_DEVICES']?.value.split(',').filter((id) => id.trim() !== '').length;
  const nodes = whole(launcher.nnodes);
  const gpus = whole(launcher.nprocPerNode);
  if (launcher.nnodes !== undefined && nodes === undefined)
    taken.note(line, 'NNODES', 'unknown-value', `\`${launcher.nnodes}\` is no number of nodes; 1 is taken.`);
  if (launcher.nprocPerNode !== undefined && gpus === undefined)
    taken.note(
      line,
      'NPROC_PER_NODE',
      'unknown-value',
      `\`${launcher.nprocPerNode}\` is no number of GPUs; ${visible ?? 1} taken.`,
    );
  return {
    nodes: nodes ?? 1,
    gpusPerNode: gpus ?? (launcher.nprocPerNode === undefined ? 1 : (visible ?? 1)),
  };
}

/** Variables that only tell a launcher who is who; the target says it. */
const launcherVariables =
  /^(NPROC_PER_NODE|NNODES|NODE_RANK|MASTER_ADDR|MASTER_PORT|CUDA_VISIBLE_DEVICES|WORLD_SIZE|RANK|LOCAL_RANK)$/;
const secretName = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?$/;

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
  for (const [name, { value, line, unknown }] of Object.entries(env)) {
    if (launcherVariables.test(name) || name === 'PYTHONHASHSEED' || own[name] === value) continue;
    if (secretName.test(name))
      taken.note(line, name, 'secret', 'a study never holds a secret; give it to the node.');
    else if (unknown.length > 0)
      taken.note(line, name, 'unknown-value', `its value \`${value}\` is known to the running script only.`);
    else kept[name] = value;
  }
  return kept;
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}
