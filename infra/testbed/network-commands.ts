import { addresses, type Host, innerAddress, type Link, type Topology } from './topology.ts';

export type Argv = readonly [string, ...string[]];

/** All that makes the network, in order. Every link and namespace made carries `tag`, so that it is known again. */
export function networkCommands(topology: Topology, tag: string): Argv[] {
  const { switchboard, innerBridge, outerBridge } = topology;
  return [
    ...namespace(switchboard, tag),
    ...topology.hosts.flatMap(({ namespace: name }) => namespace(name, tag)),
    ...bridge(switchboard, innerBridge, tag),
    ...bridge(null, outerBridge, tag),
    ip(null, 'addr', 'add', `${addresses.caller}/24`, 'dev', outerBridge),
    silence(null, addresses.dead, outerBridge),
    ...direct(topology, tag),
    ...topology.hosts.flatMap((host) => hostLinks(host, tag)),
    ...topology.hosts.flatMap((host) => rate(host)),
    ...(topology.s3 ? store(topology) : []),
  ];
}

/** A cut link loses its carrier: bytes on their way are lost, and nobody is told. */
export function linkCommands(host: Host, state: 'up' | 'down'): Argv[] {
  return host.links.map(({ at, port }) => ip(at, 'link', 'set', port, state));
}

function namespace(name: string, tag: string): Argv[] {
  return [
    ip(null, 'netns', 'add', name),
    ip(name, 'link', 'set', 'lo', 'alias', tag),
    ip(name, 'link', 'set', 'lo', 'up'),
  ];
}

function bridge(at: string | null, name: string, tag: string): Argv[] {
  return [
    ip(at, 'link', 'add', name, 'type', 'bridge'),
    ip(at, 'link', 'set', name, 'alias', tag),
    // IPv4 alone: an automatic IPv6 address would be a way around the jump host.
    ip(at, 'link', 'set', name, 'addrgenmode', 'none'),
    ip(at, 'link', 'set', name, 'up'),
  ];
}

function direct({ directPort, switchboard, innerBridge, outerBridge }: Topology, tag: string): Argv[] {
  // Without this, packets for the hosts would leave by the caller's default route, and whoever is there may answer.
  if (directPort === null) return [ip(null, 'route', 'add', '10.77.0.0/24', 'dev', outerBridge)];
  const port = `${directPort}-in`;
  return [
    ip(null, 'link', 'add', directPort, 'type', 'veth', 'peer', 'name', port, 'netns', switchboard),
    ip(null, 'link', 'set', directPort, 'alias', tag),
    ip(switchboard, 'link', 'set', port, 'master', innerBridge, 'up'),
    ip(null, 'addr', 'add', `${addresses.callerDirect}/24`, 'dev', directPort),
    ip(null, 'link', 'set', directPort, 'up'),
  ];
}

function hostLinks(host: Host, tag: string): Argv[] {
  const { namespace: name } = host;
  return [
    ...host.links.flatMap(({ at, port, bridge: on, device, address }) => [
      ip(at, 'link', 'add', port, 'type', 'veth', 'peer', 'name', device, 'netns', name),
      ip(at, 'link', 'set', port, 'alias', tag),
      ip(at, 'link', 'set', port, 'addrgenmode', 'none', 'master', on, 'up'),
      ip(name, 'addr', 'add', `${address}/24`, 'dev', device),
      ip(name, 'link', 'set', device, 'up'),
    ]),
    silence(name, addresses.deadInner, 'eth0'),
  ];
}

/** Packets to `address` go to a station that is not there, so that nothing comes back, not even a refusal. */
function silence(at: string | null, address: string, device: string): Argv {
  return ip(at, 'neigh', 'add', address, 'lladdr', '02:77:00:00:00:99', 'dev', device, 'nud', 'permanent');
}

function rate(host: Host): Argv[] {
  if (host.rateMbit === null) return [];
  const shape = ['root', 'tbf', 'rate', `${host.rateMbit}mbit`, 'burst', '128kb', 'latency', '100ms'];
  return host.links.flatMap(({ at, port, device }: Link): Argv[] => [
    ['tc', ...(at === null ? [] : ['-n', at]), 'qdisc', 'add', 'dev', port, ...shape],
    ['tc', '-n', host.namespace, 'qdisc', 'add', 'dev', device, ...shape],
  ]);
}

function store({ hosts, outerBridge }: Topology): Argv[] {
  const storage = hosts.find(({ role }) => role === 'storage');
  if (storage === undefined) return [];
  const target = `${addresses.store}/32`;
  return [
    ip(storage.namespace, 'addr', 'add', target, 'dev', 'lo'),
    ip(null, 'route', 'add', target, 'via', addresses.storageOuter, 'dev', outerBridge),
    ...hosts
      .filter((host) => host !== storage)
      .map((host) => ip(host.namespace, 'route', 'add', target, 'via', innerAddress(storage))),
  ];
}

function ip(at: string | null, ...args: string[]): Argv {
  return ['ip', ...(at === null ? [] : ['-n', at]), ...args];
}
