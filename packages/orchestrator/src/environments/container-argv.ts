/** A command as it is to run in a container. */
export type InContainer = {
  argv: readonly string[];
  /** Names of variables that are handed on from the environment of the command; values never stand in it. */
  env: readonly string[];
  /** Folders that are the same inside. */
  folders: readonly string[];
  workdir: string;
  gpus: 'nvidia' | 'rocm' | null;
  /** By which it can be ended when its client is gone; docker alone. */
  name: string | null;
};

/** The same command, in a container: as the node's own user, on the node's network, with shared memory for the ranks. */
export function inContainer(
  tool: 'docker' | 'apptainer',
  image: string,
  user: string,
  inside: InContainer,
): string[] {
  return tool === 'docker' ? inDocker(image, user, inside) : inApptainer(image, inside);
}

function inDocker(
  image: string,
  user: string,
  { argv, env, folders, workdir, gpus, name }: InContainer,
): string[] {
  const devices = {
    nvidia: ['--gpus', 'all'],
    rocm: ['--device', '/dev/kfd', '--device', '/dev/dri', '--group-add', 'video'],
    none: [],
  }[gpus ?? 'none'];
  return [
    ...['docker', 'run', '--rm', '--init', '--pull', 'never', '--network', 'host', '--ipc', 'host'],
    ...['--ulimit', 'memlock=-1', '--user', user, '--workdir', workdir, '--entrypoint', ''],
    ...(name === null ? [] : ['--name', name]),
    ...folders.flatMap((folder) => ['--mount', `type=bind,source=${folder},target=${folder}`]),
    ...devices,
    ...env.flatMap((one) => ['--env', one]),
    image,
    ...argv,
  ];
}

/** It hands on the environment of the command by itself, and runs as who calls it. */
function inApptainer(image: string, { argv, folders, workdir, gpus }: InContainer): string[] {
  const devices = { nvidia: ['--nv'], rocm: ['--rocm'], none: [] }[gpus ?? 'none'];
  return [
    ...['apptainer', 'exec', '--no-home', '--pwd', workdir],
    ...folders.flatMap((folder) => ['--bind', folder]),
    ...devices,
    image,
    ...argv,
  ];
}

/** Ends a container whose client was killed: it does not end with it. */
export function endContainer(name: string): string[] {
  return ['docker', 'rm', '--force', name];
}
