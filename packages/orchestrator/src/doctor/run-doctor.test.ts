import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import { type Home, openHome } from '../home.ts';
import type { PlannedStudy } from '../study-file.ts';
import type { DoctorNode } from './ask-nodes.ts';
import type { Finding, Status } from './finding.ts';
import { exitCodeOf, preflight, runDoctor } from './run-doctor.ts';
import { needsOf } from './study-needs.ts';
import { facts, folder as folderOf, gpu, machine, noGpus, nvidia } from './testing.ts';
import { type StubRunner, stubNode, stubRunner } from './testing-runner.ts';
import { plannedStudy } from './testing-study.ts';

let folder = '';
let archive = '';
let home: Home;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-doctor-'));
  archive = join(folder, 'stub-agent.pyz');
  await writeFile(archive, 'stub agent');
  home = openHome(folder, {});
  const { environments } = await needsOf(planned(), planned().plan, home, []);
  versions = { ...environments[0]?.pinned };
});
afterAll(() => rm(folder, { recursive: true }));

const gpus = nvidia(Array.from({ length: 8 }, (_, index) => gpu({ index })));
/** Those of the lock. */
let versions: Record<string, string> = {};

/** What a stub of a sound node with eight GPUs says to every verb. */
function sound(name: string, over: Parameters<typeof facts>[0] = {}) {
  const now = () => `${BigInt(Date.now()) * 1_000_000n}`;
  return {
    probe: () => ({
      ...facts({
        machine: {
          ok: machine({ host: name, bootId: name, cores: 128, memoryBytes: 3e12, freeMemoryBytes: 3e12 }),
        },
        gpus,
        folders: { root: { ok: folderOf({ freeBytes: 9e12 }) }, tmp: { ok: folderOf({ path: '/tmp' }) } },
        environments: { swift: { ok: { path: '/e', exists: true, python: true, versions } } },
        models: { '/models/qwen': { ok: { path: '/models/qwen', bytes: 64e9, problems: [] } } },
        paths: {
          '/data/rows.jsonl': { ok: { path: '/data/rows.jsonl', folder: false, bytes: 9, readable: true } },
        },
        ...over,
      }),
      received: now(),
      answered: now(),
    }),
    'probe-links': ({ peers, ports }: Record<string, unknown>) => ({
      links: {
        ok: {
          busy: [],
          heard: [],
          reached: Object.fromEntries(
            (peers as { name: string }[]).map((peer) => [
              peer.name,
              Object.fromEntries((ports as number[]).map((port) => [port, { milliseconds: 1 }])),
            ]),
          ),
        },
      },
      shared: { ok: { place: '/data/her', unseen: [] } },
    }),
    'probe-reduce': { ok: true, milliseconds: 9, torch: '2.11.0' },
  };
}

function planned(below = '', target?: string): PlannedStudy {
  const parts = target === undefined ? {} : { target };
  return { file: '/here/study.yaml', text: '', ...plannedStudy(below, parts) };
}

async function look(nodes: readonly DoctorNode[], { deep = false, below = '' } = {}) {
  const lines: string[] = [];
  const tryStore = async () => undefined;
  const diagnosis = await runDoctor(planned(below), nodes, {
    home,
    archive,
    deep,
    limit: 5,
    tryStore,
    say: (line) => lines.push(line),
  });
  return { ...diagnosis, lines };
}

const pair = (): [StubRunner, StubRunner] => [stubRunner(sound('n0')), stubRunner(sound('n1'))];
const nodesOf = ([first, second]: [StubRunner, StubRunner]) => [
  stubNode('n0', first, '10.0.0.1'),
  stubNode('n1', second, '10.0.0.2'),
];
const verbs = (runner: StubRunner) => runner.asked.map(({ verb }) => verb);
const not = (findings: readonly Finding[], status: Status) =>
  findings.filter((one) => one.status !== status).map(({ node, check, what }) => [node, check, what]);

test('two sound nodes are asked for facts and for each other, cleaned up, closed, and found well', async () => {
  const runners = pair();
  const { findings, reports, lines } = await look(nodesOf(runners));
  // The index of packages was not asked by these stubs.
  expect(not(findings, 'ok').filter(([, check]) => check !== 'network')).toEqual([]);
  expect(reports.map(({ node, reached }) => [node, reached])).toEqual([
    ['n0', true],
    ['n1', true],
  ]);
  for (const runner of runners) {
    expect(verbs(runner)).toEqual(['probe', 'probe-links', 'probe-clean']);
    expect(runner.closed).toBe(1);
  }
  expect(lines).toContain('2 nodes: ports and shared root');
});

test('both ask each other under one number, each by its own name and at ports that are allowed', async () => {
  const runners = pair();
  await look(nodesOf(runners));
  const [first, second] = runners.map(
    ({ asked }) => asked.find(({ verb }) => verb === 'probe-links')?.request,
  );
  expect(first).toMatchObject({
    name: 'n0',
    folder: '/data/her',
    peers: [{ name: 'n1', address: '10.0.0.2' }],
  });
  expect(second).toMatchObject({ name: 'n1', peers: [{ name: 'n0', address: '10.0.0.1' }] });
  expect(second?.['nonce']).toBe(first?.['nonce']);
  expect(second?.['ports']).toEqual(first?.['ports']);
  expect(first?.['ports']).toHaveLength(4);
  expect(Math.min(...((first?.['ports'] ?? []) as number[]))).toBeGreaterThan(1024);
});

test('a node that cannot be reached is told, and the other one is looked at all the same', async () => {
  const [first] = pair();
  const away = {
    name: 'n1',
    address: null,
    open: () => Promise.reject(new HerError('AGENT_UNREACHABLE', 'stub: away')),
  };
  const { findings } = await look([stubNode('n0', first), away]);
  expect(findings.find(({ node, check }) => node === 'n1' && check === 'reach')).toMatchObject({
    status: 'fail',
    what: 'stub: away',
  });
  expect(findings.filter(({ node, status }) => node === 'n1' && status === 'ok')).toEqual([]);
  expect(findings.find(({ node, check }) => node === 'n0' && check === 'gpus')?.status).toBe('ok');
  // With nobody to ask, nothing is known of the ways between the nodes.
  expect(findings.find(({ node, check }) => node === 'n0' && check === 'ports')?.status).toBe('unknown');
  expect(verbs(first)).toEqual(['probe']);
  expect(first.closed).toBe(1);
});

test('a node that breaks off amid the questions to each other leaves them unknown, and all are closed', async () => {
  const [first, second] = pair();
  const broken = stubRunner({
    ...sound('n1'),
    'probe-links': { exitCode: 255, stdout: '', stderr: 'stub: broke off' },
  });
  const { findings } = await look(nodesOf([first, broken]));
  const ports = findings.filter(({ check }) => check === 'ports');
  expect(ports.map(({ node, status }) => [node, status])).toEqual([
    ['n0', 'ok'],
    ['n1', 'unknown'],
  ]);
  expect(ports[1]?.what).toContain('stub: broke off');
  expect([first.closed, broken.closed, second.closed]).toEqual([1, 1, 0]);
});

test('one all_reduce over the ranks of all nodes, where it was asked for', async () => {
  const runners = pair();
  const { findings } = await look(nodesOf(runners), { deep: true });
  expect(findings.filter(({ check }) => check === 'all_reduce').map(({ status }) => status)).toEqual([
    'ok',
    'ok',
  ]);
  const requests = runners.map(({ asked }) => asked.find(({ verb }) => verb === 'probe-reduce')?.request);
  const common = { backend: 'nccl', address: '10.0.0.1', worldSize: 16, localRanks: 8 };
  expect(requests).toEqual([
    expect.objectContaining({ ...common, firstRank: 0 }),
    expect.objectContaining({ ...common, firstRank: 8 }),
  ]);
});

test('all_reduce is unknown, and not begun, while a node has no torch', async () => {
  const without = { swift: { ok: { path: '/e', exists: false, python: false, versions: {} } } };
  const runners: [StubRunner, StubRunner] = [
    stubRunner(sound('n0')),
    stubRunner(sound('n1', { environments: without })),
  ];
  const { findings } = await look(nodesOf(runners), { deep: true });
  const found = findings.filter(({ check }) => check === 'all_reduce');
  expect(found.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  for (const runner of runners) expect(verbs(runner)).not.toContain('probe-reduce');
});

test('questions, secrets and the store stand before what is said of nodes', async () => {
  const below = `secrets: { A: { env: HER_TEST_NOT_SET } }
checkpoints: { to: "s3://bucket/her" }
`;
  const { findings } = await look(nodesOf(pair()), { below });
  expect(findings.slice(0, 3).map(({ check, node, status }) => [check, node, status])).toEqual([
    ['secrets', null, 'fail'],
    ['store', null, 'ok'],
    ['reach', 'n0', 'ok'],
  ]);
});

test('before a start only failures are returned: none where nothing speaks against it', async () => {
  const runners = pair();
  const { plan } = planned();
  expect(await preflight(planned(), plan, nodesOf(runners), { home, archive })).toEqual([]);
  for (const runner of runners) {
    expect(runner.asked.map(({ verb, request }) => [verb, request['quick']])).toEqual([['probe', true]]);
    expect(runner.closed).toBe(1);
  }
});

test('before a start a failure is returned without what is only told, odd or unknown', async () => {
  const sick = stubRunner(
    sound('n1', {
      gpus: nvidia([gpu()]),
      folders: {
        root: { late: 5 },
        tmp: { ok: { path: '/tmp', nearest: '/tmp', freeBytes: 5e8, problem: null } },
      },
    }),
  );
  const { plan } = planned();
  const found = await preflight(planned(), plan, nodesOf([stubRunner(sound('n0')), sick]), { home, archive });
  expect(found.map(({ node, check, status }) => [node, check, status])).toEqual([['n1', 'gpus', 'fail']]);
  expect(found[0]?.remedy).toMatch(/\w/);
});

test('before a start a node that cannot be reached is one failure', async () => {
  const away = {
    name: 'n1',
    address: null,
    open: () => Promise.reject(new HerError('SSH_AUTH_FAILED', 'stub: refused')),
  };
  const { plan } = planned();
  const found = await preflight(planned(), plan, [stubNode('n0', pair()[0]), away], { home, archive });
  expect(found.map(({ node, check, code }) => [node, check, code])).toEqual([
    ['n1', 'login', 'SSH_AUTH_FAILED'],
  ]);
});

test('a login node of Slurm without GPUs stops no start, and no all_reduce is tried on it', async () => {
  const slurm =
    '{ kind: slurm, login: n0, nodes: 2, root: /data/her, gpus: { per_node: 8, kind: H100-80 }, cores: 96, memory_gb: 2000 }';
  const login = stubRunner(sound('n0', { gpus: noGpus }));
  const study = planned('', slurm);
  const nodes = [stubNode('n0', login, null)];
  expect(await preflight(study, study.plan, nodes, { home, archive })).toEqual([]);
  const { findings } = await runDoctor(study, nodes, {
    home,
    archive,
    deep: true,
    limit: 5,
    tryStore: async () => undefined,
    say: () => undefined,
  });
  expect(findings.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(findings.find(({ check }) => check === 'all_reduce')?.status).toBe('unknown');
  expect(verbs(login)).toEqual(['probe', 'probe']);
});

test.each([
  [[], 0],
  [['ok', 'ok'], 0],
  [['ok', 'warn'], 0],
  [['warn', 'unknown', 'ok'], 7],
  [['unknown', 'fail', 'ok'], 5],
] as const)('findings that are %j end with %d', (statuses, code) => {
  const findings = statuses.map((status) => ({ check: 'stub', node: null, status, what: 'stub' }));
  expect(exitCodeOf(findings)).toBe(code);
});
