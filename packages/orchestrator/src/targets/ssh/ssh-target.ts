import type { TargetSpec } from '@her/configs';
import type { StoreWay } from '../../place/from-store.ts';
import { callOf } from '../../place/node-side.ts';
import { openAgentNode } from '../agent-node.ts';
import { allOrFirst, nodeNamed, startEach } from '../places.ts';
import type { Node, Target } from '../target.ts';
import { bringTo } from './bring.ts';
import { openSshHost, type Provisions, type SshHost } from './ssh-host.ts';

export type SshSpec = Extract<TargetSpec, { kind: 'ssh' }>;

type Opened = { node: Node; host: SshHost };

/** Hosts reached over SSH. Nothing is connected to before something is asked of a host. */
export function openSshTarget(
  name: string,
  spec: SshSpec,
  openRunner: (host: string) => SshHost['runner'],
  { store, ...provisions }: Omit<Provisions, 'signal'> & { store?: StoreWay | undefined },
): Target {
  const closing = new AbortController();
  const opened = spec.hosts.map((wanted): Opened => {
    const host = openSshHost(openRunner(wanted), spec, { ...provisions, signal: closing.signal });
    return { host, node: nodeOf(host, spec) };
  });
  const nodes = opened.map(({ node }) => node);
  const node = (wanted: string): Node => nodeNamed(nodes, wanted, name);
  const sideOf = async (wanted: string) => {
    const found = opened.find(({ host }) => host.name === node(wanted).name);
    if (found === undefined) throw new TypeError(`${wanted} is no node of ${name}`);
    return (await found.host.settled()).side;
  };
  return {
    name,
    kind: 'ssh',
    nodes,
    storage: spec.storage,
    node,
    prepare: async (environments, _say, signal) => {
      signal.addEventListener('abort', () => closing.abort(), { once: true });
      const made = opened.map(async ({ host }) => {
        await host.settled();
        for (const environment of environments) await host.environment(environment);
      });
      await allOrFirst(made);
    },
    bring: async (to, held, along) =>
      bringTo({ to: await sideOf(to.name), shared: spec.storage === 'shared', sideOf, store }, held, along),
    startGang: startEach(node),
    close: async () => {
      closing.abort();
      await Promise.all(opened.map(({ host }) => host.runner.close()));
    },
  };
}

function nodeOf(host: SshHost, spec: SshSpec): Node {
  const side = async () => (await host.settled()).side;
  return openAgentNode({
    name: host.name,
    address: async () => spec.addresses[host.name] ?? (await host.runner.opened()).address,
    root: async () => (await side()).study,
    call: async () => callOf(await side()),
    runner: host.runner,
    fingerprint: host.fingerprint,
    baseEnv: host.baseEnv,
    inEnvironment: host.inEnvironment,
  });
}
