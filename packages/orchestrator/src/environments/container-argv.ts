/** A command as it is to run in a container. */
export type InContainer = {
  argv: readonly string[];
  /** Names of variables that are handed on from the environment of the command; values never stand in it. */
  env: readonly string[];
  /** Folders that are the same inside. */
  folders: readonly string[];
  workdir: string;
  gpus: 'nvidia' | 'rocm' | null;
  /** By which a person finds it; docker alone. */
  name: string | null;
};

/**
 * How containers are started on a node, who a command is in them (`id -u:id -g`), what its home is, and whether the
 * daemon may lift the limit on locked memory.
 */
export type As = { program: string; user: string; home: string; memlock: boolean };

/** The same command, in a container: as the node's own user, on the node's network, with shared memory for the ranks. */
export function inContainer(
  tool: 'docker' | 'apptainer',
  image: string,
  as: As,
  inside: InContainer,
): string[] {
  return tool === 'docker' ? inDocker(image, as, inside) : inApptainer(image, as, inside);
}

function inDocker(
  image: string,
  { program, user, memlock }: As,
  { argv, env, folders, workdir, gpus, name }: InContainer,
): string[] {
  const devices = {
    nvidia: ['--gpus', 'all'],
    rocm: ['--device', '/dev/kfd', '--device', '/dev/dri', '--group-add', 'video'],
    none: [],
  }[gpus ?? 'none'];
  return [
    ...[program, 'run', '--rm', '--init', '--pull', 'never', '--network', 'host', '--ipc', 'host'],
    ...(memlock ? ['--ulimit', 'memlock=-1'] : []),
    ...['--user', user, '--workdir', workdir, '--entrypoint', ''],
    ...(name === null ? [] : ['--name', name]),
    ...folders.flatMap((folder) => ['--mount', mount(folder)]),
    ...devices,
    ...env.flatMap((one) => ['--env', one]),
    image,
    ...argv,
  ];
}

/** Fields of a row of CSV. */
function mount(folder: string): string {
  const field = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return ['type=bind', field(`source=${folder}`), field(`target=${folder}`)].join(',');
}

/** It hands on the environment of the command by itself, and runs as who calls it. `/tmp` is the node's anyway. */
function inApptainer(
  image: string,
  { program, home }: As,
  { argv, folders, workdir, gpus }: InContainer,
): string[] {
  const devices = { nvidia: ['--nv'], rocm: ['--rocm'], none: [] }[gpus ?? 'none'];
  return [
    ...[program, 'exec', '--home', home, '--pwd', workdir],
    ...folders.filter((folder) => folder !== '/tmp').flatMap((folder) => ['--bind', folder]),
    ...devices,
    image,
    ...argv,
  ];
}
