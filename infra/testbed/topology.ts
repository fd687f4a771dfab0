import type { BedOptions } from './options.ts';

/** A veth pair: one end is `eth0` (or `eth1`) of a host, the other a port of a bridge. */
export type Link = {
  /** The name of the end on the bridge; at most 15 characters. */
  port: string;
  /** The namespace of the bridge; `null` is the caller's own. */
  at: string | null;
  bridge: string;
  device: string;
  address: string;
};

export type Role = 'compute' | 'jump' | 'login' | 'storage';

export type Host = {
  name: string;
  role: Role;
  namespace: string;
  links: Link[];
  /** One-way delay of its sshd in milliseconds; `null` where no relay stands in front of it. */
  delayMs: number | null;
  rateMbit: number | null;
};

export type Topology = {
  hosts: Host[];
  /** The namespace that holds the inner bridge, out of the caller's reach. */
  switchboard: string;
  innerBridge: string;
  outerBridge: string;
  /** The caller's own link to the inner bridge, with `--direct`. */
  directPort: string | null;
  slurm: boolean;
  s3: boolean;
};

/** Where things are; nothing on the machine may use 10.77.0.0 to 10.77.2.255 while the bed is up. */
export const addresses = {
  caller: '10.77.1.254',
  callerDirect: '10.77.0.254',
  jump: '10.77.0.250',
  jumpOuter: '10.77.1.250',
  login: '10.77.0.240',
  storage: '10.77.0.200',
  storageOuter: '10.77.1.200',
  /** One address of the store for caller and hosts alike, so that a presigned URL means the same to both. */
  store: '10.77.2.1',
  /** They take every packet and answer none. */
  dead: '10.77.1.99',
  deadInner: '10.77.0.99',
} as const;

export const storePort = 7070;

const inner = 'her-in';
const outer = 'her-out';
const switchboard = 'her-switch';

export function topologyOf(options: BedOptions): Topology {
  const compute = Array.from({ length: options.hosts }, (_, index) =>
    host(`h${index + 1}`, 'compute', [toInner(`h${index + 1}`, `10.77.0.${index + 1}`)], options),
  );
  const jump = host('j', 'jump', [toInner('j', addresses.jump), toOuter('j', addresses.jumpOuter)], options);
  const login = host('login', 'login', [toInner('login', addresses.login)], options);
  const storage = host(
    's3',
    'storage',
    [toInner('s3', addresses.storage), toOuter('s3', addresses.storageOuter)],
    options,
  );
  return {
    hosts: [jump, ...compute, ...(options.slurm ? [login] : []), ...(options.s3 ? [storage] : [])],
    switchboard,
    innerBridge: inner,
    outerBridge: outer,
    directPort: options.direct ? 'her-direct' : null,
    slurm: options.slurm,
    s3: options.s3,
  };
}

export function hasSshd(host: Host): boolean {
  return host.role !== 'storage';
}

/** Its address among the hosts. */
export function innerAddress(host: Host): string {
  const link = host.links.find(({ bridge }) => bridge === inner);
  if (link === undefined) throw new Error(`${host.name} has no link to the inner bridge`);
  return link.address;
}

export function namespacesOf(topology: Topology): string[] {
  return [topology.switchboard, ...topology.hosts.map(({ namespace }) => namespace)];
}

/** The links that the caller's own namespace gets; all others go with the namespaces that hold them. */
export function callerLinksOf(topology: Topology): string[] {
  const ports = topology.hosts.flatMap(({ links }) => links).filter(({ at }) => at === null);
  const direct = topology.directPort === null ? [] : [topology.directPort];
  return [topology.outerBridge, ...ports.map(({ port }) => port), ...direct];
}

function host(name: string, role: Role, links: Link[], options: BedOptions): Host {
  const delayed = role === 'compute' || role === 'login';
  return {
    name,
    role,
    namespace: `her-${name}`,
    links,
    delayMs: delayed ? options.delayMs : null,
    rateMbit: role === 'compute' ? options.rateMbit : null,
  };
}

function toInner(name: string, address: string): Link {
  return { port: `her-${name}`, at: switchboard, bridge: inner, device: 'eth0', address };
}

function toOuter(name: string, address: string): Link {
  return { port: `her-${name}-out`, at: null, bridge: outer, device: 'eth1', address };
}
