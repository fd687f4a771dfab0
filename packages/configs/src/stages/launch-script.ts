import { type Machine, worldSize } from '../study/target-schema.ts';

/** How the nodes of one job find each other; null where there is one process group on one node. */
export type Gang = {
  /** torchrun's rendezvous, or a Ray cluster of the job's own. */
  launcher: 'torchrun' | 'ray';
  nodes: number;
  gpusPerNode: number;
  /** On the first node. */
  port: number;
} | null;

export function gangOf(launcher: 'torchrun' | 'ray', machine: Machine): Gang {
  if (machine.nodes === 1 || worldSize(machine) === 1) return null;
  const port = launcher === 'ray' ? 6379 : 29_500;
  return { launcher, nodes: machine.nodes, gpusPerNode: machine.gpusPerNode, port };
}

/** How `launch.sh` runs a job by hand, in its folder, without `her`. Inputs are expected under `inputs/`. */
export type Launch = {
  argv: readonly string[];
  env: Record<string, string>;
  /** A file with one more argument a line. */
  argsFile?: string;
  gang?: Gang;
};

/** A script of bash. With a gang, every node runs it, told by NODE_RANK and MASTER_ADDR which one it is. */
export function launchScript({ argv, env, argsFile, gang = null }: Launch): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  const command = argv.map(quote).join(' ');
  const [words, args] =
    argsFile === undefined ? [[], '"$@"'] : [[`mapfile -t args < ${quote(argsFile)}`], `"\${args[@]}" "$@"`];
  const head = ['#!/usr/bin/env bash', 'set -euo pipefail', 'cd "$(dirname "$0")"', 'mkdir -p out'];
  const run =
    gang?.launcher === 'ray'
      ? rayCluster(gang, `${command} ${args}`)
      : [...(gang === null ? [] : rendezvous(gang)), `exec ${command} ${args}`];
  return [...head, ...exports, ...words, ...run, ''].join('\n');
}

const whichNode = [`: "\${NODE_RANK:?which node this is, from 0}" "\${MASTER_ADDR:?the address of node 0}"`];

/** ms-swift hands these to torchrun; it needs all of them or none. */
function rendezvous({ nodes, port }: NonNullable<Gang>): string[] {
  return [
    ...whichNode,
    `export NODE_RANK MASTER_ADDR NNODES=${nodes} MASTER_PORT="\${MASTER_PORT:-${port}}"`,
  ];
}

/** Node 0 starts the cluster, waits for the others, runs the driver and takes the cluster down; the others lend their GPUs. */
function rayCluster({ nodes, gpusPerNode, port }: NonNullable<Gang>, driver: string): string[] {
  const gpus = `--num-gpus=${gpusPerNode} --disable-usage-stats`;
  return [
    ...whichNode,
    `port="\${MASTER_PORT:-${port}}"`,
    "trap 'ray stop --force' EXIT",
    'if [ "$NODE_RANK" != 0 ]; then',
    `  until ray start --address="$MASTER_ADDR:$port" ${gpus}; do sleep 5; done`,
    '  while ray status --address="$MASTER_ADDR:$port" > /dev/null 2>&1; do sleep 15; done',
    '  exit 0',
    'fi',
    `ray start --head --node-ip-address="$MASTER_ADDR" --port="$port" ${gpus}`,
    'export RAY_ADDRESS="$MASTER_ADDR:$port"',
    `python - <<'WAIT'`,
    'import time, ray',
    'ray.init()',
    `while ray.cluster_resources().get("GPU", 0) < ${nodes * gpusPerNode}:`,
    '    time.sleep(5)',
    'WAIT',
    driver,
  ];
}

/** A word of POSIX shell that means exactly `word`. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
