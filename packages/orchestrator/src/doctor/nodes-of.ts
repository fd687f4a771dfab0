import type { Plan } from '@her/configs';
import { HerError } from '../errors.ts';
import type { Runner } from '../targets/runner.ts';
import type { DoctorNode } from './ask-nodes.ts';

export type Ways = {
  local: Runner;
  openRunner(host: string): Promise<Runner>;
  /** How the other nodes reach a host, where the study does not say it: as `ssh -G` resolves it. */
  addressOf(host: string): Promise<string>;
};

/** The machines that a plan's target names. Of a scheduler, the one with its commands: the nodes are its choice. */
export async function nodesOf({ runsOn }: Pick<Plan, 'runsOn'>, ways: Ways): Promise<DoctorNode[]> {
  const { local, openRunner, addressOf } = ways;
  if (runsOn.kind === 'local') return [{ name: 'local', address: null, open: async () => local }];
  if (runsOn.kind === 'slurm')
    return runsOn.login === undefined
      ? [{ name: 'login', address: null, open: async () => local }]
      : [remote(runsOn.login, null, openRunner)];
  return Promise.all(
    runsOn.hosts.map(async (host) => {
      const address = runsOn.addresses[host] ?? (await addressOf(host).catch(noAddress));
      return remote(host, address, openRunner);
    }),
  );
}

function remote(host: string, address: string | null, openRunner: Ways['openRunner']): DoctorNode {
  return { name: host, address, open: () => openRunner(host) };
}

/** Why a host has no settings is told when it is opened. */
function noAddress(error: unknown): null {
  if (error instanceof HerError) return null;
  throw error;
}
