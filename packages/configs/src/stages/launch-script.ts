import type { Machine } from '../study/target-schema.ts';

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
  if (machine.nodes === 1) return null;
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
  const head = [
    '#!/usr/bin/env bash',
    'set -euo pipefail',
    'CDPATH= cd -- "$(dirname -- "$0")"',
    'mkdir -p out',
  ];
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

/**
 * Node 0 starts the cluster, waits for the others, runs the driver and takes the cluster down; the others lend their GPUs.
 * Ray asks each node that joins for the token of the first: RAY_AUTH_TOKEN, or one that node 0 makes and leaves in the
 * job's folder, for its owner alone, while the cluster stands.
 */
function rayCluster({ nodes, gpusPerNode, port }: NonNullable<Gang>, driver: string): string[] {
  // A machine without GPUs lends its one process as if it were one: verl asks Ray for accelerators.
  const lent = Math.max(1, gpusPerNode);
  const cpus = gpusPerNode === 0 ? ' --num-cpus=8 --object-store-memory=300000000' : '';
  const gpus = `--num-gpus=${lent}${cpus} --disable-usage-stats`;
  return [
    ...whichNode,
    `port="\${MASTER_PORT:-${port}}"`,
    'token=out/.ray-token',
    `given="\${RAY_AUTH_TOKEN:-}"`,
    'export RAY_AUTH_MODE=token RAY_AUTH_TOKEN',
    'if [ "$NODE_RANK" != 0 ]; then',
    `  until RAY_AUTH_TOKEN="\${given:-$(cat "$token" 2> /dev/null)}" && [ -n "$RAY_AUTH_TOKEN" ] &&`,
    '    ray health-check --address="$MASTER_ADDR:$port" > /dev/null 2>&1; do sleep 2; done',
    '  # It ends when the cluster does.',
    `  ray start --address="$MASTER_ADDR:$port" ${gpus} --block || true`,
    '  exit 0',
    'fi',
    `RAY_AUTH_TOKEN="\${given:-$(od -An -N32 -tx1 /dev/urandom | tr -d ' \\n')}"`,
    '[ -n "$given" ] || (umask 077; printf %s "$RAY_AUTH_TOKEN" > "$token")',
    '# `ray stop` would end every cluster of this machine; this one ends with the process that holds it.',
    `ray start --head --node-ip-address="$MASTER_ADDR" --port="$port" ${gpus} --block > out/ray.log 2>&1 &`,
    'cluster=$!',
    `trap 'rm -f "$token"; kill "$cluster" 2> /dev/null || true; wait "$cluster" || true' EXIT`,
    'until ray health-check --address="$MASTER_ADDR:$port" > /dev/null 2>&1; do',
    '  kill -0 "$cluster" || { cat out/ray.log; exit 1; }',
    '  sleep 1',
    'done',
    'export RAY_ADDRESS="$MASTER_ADDR:$port"',
    `python - <<'WAIT'`,
    'import time, ray',
    'ray.init()',
    `while ray.cluster_resources().get("GPU", 0) < ${nodes * lent}:`,
    '    time.sleep(5)',
    'WAIT',
    driver,
  ];
}

/** A word of POSIX shell that means exactly `word`. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
