import { join } from 'node:path';
import { HerError } from '../errors.ts';
import { openAgentNode } from '../targets/agent-node.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import { nodeNamed, startEach } from '../targets/places.ts';
import type { Target } from '../targets/target.ts';

/** Folder of a host of the fleet, which stands for what a node sees. */
export function hostFolder(root: string, host: string): string {
  return join(root, 'hosts', host);
}

/** A target whose nodes are folders of this machine, each with the real agent's verbs. Nothing is started on it. */
export function openFleetTarget(root: string, hosts: readonly string[], agent: string): Target {
  const never = async (): Promise<never> => {
    throw new HerError('TARGET_UNSUPPORTED', 'nothing is started in a measurement');
  };
  const nodes = hosts.map((name) =>
    openAgentNode({
      name,
      address: async () => null,
      root: async () => hostFolder(root, name),
      call: async () => ({ runner: localRunner, python: 'python3', agent }),
      runner: localRunner,
      fingerprint: never,
      baseEnv: never,
    }),
  );
  const node = (name: string) => nodeNamed(nodes, name, 'bench');
  return {
    name: 'bench',
    kind: 'local',
    nodes,
    storage: 'own',
    node,
    prepare: async () => undefined,
    bring: never,
    startGang: startEach(node),
    close: async () => undefined,
  };
}
