import type { NodeCheck } from './checks/check.ts';
import type { Found, Status } from './finding.ts';
import type { EnvironmentNeed, Needs } from './needs.ts';
import type { ReachedNode } from './node-report.ts';
import type { FolderFacts, GpuFacts, LinksReply, MachineFacts, ProbeReply } from './probe-reply.ts';

/** For tests: a sound node and what a study asks of it, each with what a test changes. */

export const gib = 2 ** 30;

export function needs(over: Partial<Needs> = {}): Needs {
  return {
    kind: 'ssh',
    gangs: false,
    nodes: [{ name: 'n0', address: '10.0.0.1' }],
    root: '/data/her',
    storage: 'own',
    python: 'python3',
    gpus: null,
    cores: 8,
    memoryGb: 16,
    disk: { bytes: 10e9, unknown: [], inodes: 500 },
    environments: [],
    image: null,
    inputs: [],
    servers: [],
    ...over,
  };
}

export const twoNodes = [
  { name: 'n0', address: '10.0.0.1' },
  { name: 'n1', address: '10.0.0.2' },
];

export function swiftNeed(over: Partial<EnvironmentNeed> = {}): EnvironmentNeed {
  return {
    name: 'swift',
    path: '/data/her/envs/swift-0123',
    locked: true,
    trainer: { package: 'ms-swift', version: '4.6.0' },
    pinned: { 'ms-swift': '4.6.0', torch: '2.11.0' },
    bytes: 8e9,
    flash: [],
    ...over,
  };
}

export function machine(over: Partial<MachineFacts> = {}): MachineFacts {
  return {
    host: 'n0',
    bootId: 'boot-of-n0',
    kernel: 'Linux 6.8',
    os: 'Ubuntu 24.04',
    python: '3.12.3',
    user: 'ada',
    uid: 1000,
    home: '/home/ada',
    cores: 16,
    memoryBytes: 64e9,
    freeMemoryBytes: 60e9,
    load: [0.1, 0.2, 0.3],
    shmBytes: 32 * gib,
    freeShmBytes: 32 * gib,
    openFiles: null,
    lockedMemory: null,
    clockSynchronized: true,
    ...over,
  };
}

export function folder(over: Partial<FolderFacts> = {}): FolderFacts {
  return {
    path: '/data/her',
    exists: true,
    folder: true,
    nearest: '/data/her',
    freeBytes: 500e9,
    freeInodes: 1_000_000,
    mount: '/data',
    fileSystem: 'ext4',
    problem: null,
    ...over,
  };
}

export function gpu(over: Partial<GpuFacts> = {}): GpuFacts {
  return {
    index: 0,
    name: 'NVIDIA H100 80GB HBM3',
    uuid: 'GPU-0',
    totalBytes: 81559 * 2 ** 20,
    usedBytes: 0,
    freeBytes: 81559 * 2 ** 20,
    uncorrectedErrors: 0,
    remapPending: false,
    remapFailed: false,
    mig: false,
    persistence: true,
    processes: [],
    ...over,
  };
}

type GpuReply = Extract<ProbeReply['gpus'], { ok: unknown }>['ok'];

export function nvidia(gpus: GpuFacts[], over: Partial<GpuReply> = {}): ProbeReply['gpus'] {
  return {
    ok: {
      tool: 'nvidia-smi',
      problem: null,
      vendor: 'nvidia',
      driver: '580.65.06',
      cuda: '13.0',
      gpus,
      ...over,
    },
  };
}

export const noGpus: ProbeReply['gpus'] = {
  ok: { tool: null, problem: null, vendor: null, driver: null, cuda: null, gpus: [] },
};

export function facts(over: Partial<ProbeReply> = {}): ProbeReply {
  return {
    protocol: 1,
    received: '1000000000000000000',
    answered: '1000000000000000000',
    machine: { ok: machine() },
    gpus: noGpus,
    programs: { ok: {} },
    folders: { root: { ok: folder() }, tmp: { ok: folder({ path: '/tmp', nearest: '/tmp', mount: '/' }) } },
    paths: {},
    models: {},
    environments: {},
    reach: {},
    ...over,
  };
}

export function node(over: Partial<ProbeReply> = {}, more: Partial<ReachedNode> = {}): ReachedNode {
  return {
    node: 'n0',
    address: '10.0.0.1',
    reached: true,
    milliseconds: 12,
    clock: { offset: 0, bound: 3 },
    facts: facts(over),
    ...more,
  };
}

/** The second node of two. */
export function other(over: Partial<ProbeReply> = {}, more: Partial<ReachedNode> = {}): ReachedNode {
  const own = { machine: { ok: machine({ host: 'n1', bootId: 'boot-of-n1' }) } };
  return node({ ...own, ...over }, { node: 'n1', address: '10.0.0.2', ...more });
}

type LinksSaid = Extract<LinksReply['links'], { ok: unknown }>['ok'];

export function links(
  reached: LinksSaid['reached'],
  more: Partial<LinksSaid> & Pick<LinksReply, 'shared'> = {},
): LinksReply {
  const { shared, ...said } = more;
  return {
    links: { ok: { busy: [], heard: Object.keys(reached), reached, ...said } },
    ...(shared === undefined ? {} : { shared }),
  };
}

/** What a check says of a node: its status and words, where it says one thing. */
export function said(check: NodeCheck, report: ReachedNode, want: Needs = needs()): [Status, string] {
  const found = check.of(report, want);
  if (found.length !== 1) throw new Error(`${check.name} says ${JSON.stringify(found)}`);
  return lineOf(found[0]);
}

export function lineOf(found: Found | undefined): [Status, string] {
  if (found === undefined) throw new Error('nothing was found');
  return [found.status, found.what];
}
