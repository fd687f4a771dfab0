import type { TrainerCommand } from '../trainer-command.ts';
import { mostGpus, mostNodes } from './machine.ts';
import type { Taken } from './take.ts';

/** `processes`: those of a node, which are fewer than its GPUs where one process holds several. */
export type SwiftMachine = { nodes: number; gpusPerNode: number; processes: number };

/** The nodes, GPUs and processes that a launch of ms-swift is for; what is not known is noted. */
export function swiftMachine(launch: TrainerCommand, taken: Taken): SwiftMachine {
  const { launcher, line } = launch;
  const visible = visibleGpus(launch);
  const nodes = takeNodes(launch, taken);
  const told = toldProcesses(launch, nodes, taken);
  const everyGpu = launcher.program === 'accelerate' || launcher.program === 'deepspeed';
  const words = launcher.other.filter((word) => word.includes('$'));
  if (told === undefined && launcher.file === undefined && (everyGpu || words.length > 0)) {
    const why =
      words.length > 0
        ? `\`${words.join(' ')}\` may say how many processes there are`
        : `${launcher.program} starts a process for every GPU that it sees`;
    const message = `${why}; ${visible ?? 1} for each node taken. The global batch is counted by that.`;
    taken.note(
      line,
      launcher.program ?? 'launcher',
      visible === undefined ? 'unknown-value' : 'chosen',
      message,
    );
  }
  const others = launcher.other.filter((word) => !word.includes('$'));
  if (others.length > 0) {
    const message = `\`${others.join(' ')}\` is for the launcher; a study starts its processes itself.`;
    taken.note(line, launcher.program ?? 'launcher', 'her-sets', message);
  }
  const counted = told ?? (everyGpu || launcher.nprocPerNode !== undefined ? (visible ?? 1) : 1);
  return { nodes, processes: counted, gpusPerNode: gpusOf({ launch, visible, processes: counted, taken }) };
}

function visibleGpus({ env }: TrainerCommand): number | undefined {
  const variable = env['CUDA_VISIBLE_DEVICES'] ?? env['ASCEND_RT_VISIBLE_DEVICES'];
  if (variable === undefined || variable.unknown.length > 0) return undefined;
  const listed = variable.value.split(',').filter((id) => id.trim() !== '' && id.trim() !== '-1').length;
  return listed >= 1 && listed <= mostGpus ? listed : undefined;
}

function takeNodes({ launcher, env, line }: TrainerCommand, taken: Taken): number {
  const written = launcher.nnodes;
  // torchrun's form for as many at least as at most.
  const nodes = whole(written?.replace(/^(\d+):\1$/, '$1'), mostNodes);
  if (written !== undefined && nodes === undefined) {
    const message = `\`${written}\` is no number of nodes (1 to ${mostNodes}); 1 is taken.`;
    taken.note(env['NNODES']?.line || line, 'NNODES', 'unknown-value', message);
  }
  return nodes ?? 1;
}

/** The processes of a node that the launch itself tells. */
function toldProcesses(
  { launcher, env, line }: TrainerCommand,
  nodes: number,
  taken: Taken,
): number | undefined {
  const { nprocPerNode, numProcesses, program, file } = launcher;
  if (file !== undefined) {
    const message = `\`${file}\` was not read, which says for how many GPUs the launch is and how it spreads the model; the batch is counted by what the script shows.`;
    const hint = 'Put it beside the script, or correct `target`, `parallel` and `batch`.';
    taken.note(
      line,
      program === 'deepspeed' ? '--hostfile' : '--config_file',
      'unknown-value',
      message,
      hint,
    );
  }
  if (numProcesses !== undefined) {
    const all = whole(numProcesses, mostGpus * mostNodes);
    const each = all === undefined ? undefined : whole(String(all / nodes), mostGpus);
    if (each === undefined) {
      const message = `\`${numProcesses}\` is no number of processes on ${nodes} nodes.`;
      taken.note(line, '--num_processes', 'unknown-value', message);
    }
    return each;
  }
  const each = whole(nprocPerNode, mostGpus);
  if (nprocPerNode !== undefined && each === undefined) {
    const visible = /^(gpu|auto)$/.test(nprocPerNode);
    const message = visible
      ? `\`${nprocPerNode}\` is a process for every GPU of the machine; look at \`target\`.`
      : `\`${nprocPerNode}\` is no number of GPUs (1 to ${mostGpus}); look at \`target\`.`;
    taken.note(env['NPROC_PER_NODE']?.line || line, 'NPROC_PER_NODE', 'unknown-value', message);
  }
  return each;
}

/** A process that sees several GPUs spreads the model's layers among them. */
function gpusOf(about: {
  launch: TrainerCommand;
  visible: number | undefined;
  processes: number;
  taken: Taken;
}): number {
  const { launch, visible, processes, taken } = about;
  if (visible === undefined || visible <= processes || visible % processes !== 0) return processes;
  const one = processes === 1 ? 'one process holds' : `${processes} processes hold`;
  const message = `${one} the model spread over ${visible} GPUs (device_map); a study starts a process for each GPU, with the same global batch.`;
  const hint = 'If the model does not fit on one of them: `parallel: { sharding: zero3 }`.';
  const name =
    launch.env['CUDA_VISIBLE_DEVICES'] === undefined ? 'ASCEND_RT_VISIBLE_DEVICES' : 'CUDA_VISIBLE_DEVICES';
  taken.note(launch.env[name]?.line ?? launch.line, name, 'chosen', message, hint);
  return visible;
}

function whole(text: string | undefined, most: number): number | undefined {
  return text !== undefined && /^\d+$/.test(text) && Number(text) > 0 && Number(text) <= most
    ? Number(text)
    : undefined;
}
