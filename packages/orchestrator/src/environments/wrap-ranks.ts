import type { StartRequest } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';
import type { NodeEnvironment } from './on-node.ts';

/** What of a start request decides how its ranks are started. */
export type Wrappable = Pick<StartRequest, 'attempt' | 'ranks' | 'env' | 'secrets' | 'inputs' | 'gang'>;

export type WrapPlace = {
  /** The folder on the node below which everything is written. */
  root: string;
  /** The attempt's folder on the node, in which its ranks start. */
  folder: string;
  gpus: 'nvidia' | 'rocm' | null;
};

/** What the agent adds to the environment of ranks when it starts them. */
const ofTheAgent = [
  'TMPDIR',
  'RAY_TMPDIR',
  // By these it finds the processes of an attempt, in a container as well, and ends them with it.
  'HER_ATTEMPT',
  'HER_ATTEMPT_FOLDER',
  'HER_NODE_ADDRESS',
  ...['GLOO_SOCKET_IFNAME', 'NCCL_SOCKET_IFNAME', 'TP_SOCKET_IFNAME'],
  ...['NNODES', 'NODE_RANK', 'MASTER_ADDR', 'MASTER_PORT', 'NPROC_PER_NODE'],
];

/**
 * The same request with its ranks in the environment's image; as it is where there is none. Of variables only the names
 * stand in the command, so that no secret is seen in the list of processes.
 * @throws {HerError} `TARGET_UNSUPPORTED` for a Ray cluster over several nodes, which the agents form outside of images
 */
export function wrapRanks<T extends Wrappable>(
  { image }: Pick<NodeEnvironment, 'image'>,
  request: T,
  { root, folder, gpus }: WrapPlace,
): T {
  if (image === null) return request;
  if (request.gang?.launcher === 'ray')
    throw new HerError('TARGET_UNSUPPORTED', 'a Ray cluster over several nodes cannot run in an image yet', {
      hint: 'Give the stage `nodes: 1`, or the target environments that are no image.',
    });
  const env = { ...request.env, HOME: image.home };
  const names = [...new Set([...Object.keys(env), ...Object.keys(request.secrets), ...ofTheAgent])];
  const folders = foldersOf(root, request.inputs);
  const ranks = request.ranks.map(({ argv }, rank) => ({
    argv: image.wrap({
      argv,
      env: names.toSorted(),
      folders,
      workdir: folder,
      gpus,
      name: `her-${request.attempt}-${rank}`,
    }),
  }));
  return { ...request, env, ranks };
}

/** What the ranks read and write; what lies in one that is there already is not named again. */
function foldersOf(root: string, inputs: Wrappable['inputs']): string[] {
  const all = [root, '/tmp', ...inputs.map(({ path }) => path)].toSorted();
  return all.filter(
    (path, i) =>
      !all.some((above, j) => j !== i && (path.startsWith(`${above}/`) || (path === above && j < i))),
  );
}
