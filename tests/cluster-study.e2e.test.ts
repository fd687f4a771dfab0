import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Bed,
  bed as bedCommand,
  bedlessReason,
  computeHosts,
  openBed,
  visibleEnvironments,
} from './support/bed.ts';
import { environmentPaths, writeBedStudy } from './support/bed-study.ts';
import { entriesOf, environments, freshHome, her } from './support/her.ts';

const why = bedlessReason('A study on several nodes');

type Finding = {
  job: string;
  source: string;
  planned: unknown;
  used: unknown;
  status: string;
  effect: string;
};
type Ran = { home: string; env: Record<string, string>; study: string };

let bed: Bed;
let folder = '';
let root = '';
let hosts: string[] = [];
let given: Record<string, { path: string }>;
const homes: string[] = [];
const found = new Map<string, Finding[]>();

/** The real trainers: ms-swift under torchrun, verl on a Ray cluster, both over two nodes. */
describe.skipIf(why !== null)('the tiny study over two nodes', { timeout: 1_200_000 }, () => {
  beforeAll(async () => {
    bed = await openBed();
    hosts = computeHosts(bed, 2);
    folder = await mkdtemp(join(tmpdir(), 'her-cluster-'));
    root = await mkdtemp(join(bed.shared, 'cluster-'));
    given = await environmentPaths(await visibleEnvironments());
  }, 600_000);
  afterAll(async () => {
    if (folder === '') return;
    for (const path of [folder, root, ...homes]) await rm(path, { recursive: true, force: true });
    await bed.close();
  });

  test('over SSH, through a jump host: both trainers take both nodes, and nothing is left on them', async () => {
    const ran = await run('over-ssh', { kind: 'ssh', hosts, root: join(root, 'ssh'), ...machine() });
    await expectWhole(ran, hosts);
    await expectEntered(ran, 'sft/11', hosts[1] ?? '');
    for (const host of hosts) expect(await leftOn(host)).toEqual([]);
  });

  test('in Slurm: the same', async () => {
    const others = bed.hosts.filter(({ name, role }) => role === 'compute' && !hosts.includes(name));
    const options = others.length === 0 ? {} : { exclude: others.map(({ name }) => name).join(',') };
    const slurm = { kind: 'slurm', login: 'login', nodes: 2, partition: 'main', options };
    const ran = await run('in-slurm', { ...slurm, root: join(root, 'slurm'), ...machine() });
    await expectWhole(ran, ['n0', 'n1']);
    for (const host of hosts) expect(await leftOn(host)).toEqual([]);
  });

  test('the ledger finds the same as on this machine', async () => {
    await run('on-local', { kind: 'local', device: 'cpu', cores: 2, memory_gb: 12 }, ['prepare', 'sft']);
    const [ssh, slurm, local] = ['over-ssh', 'in-slurm', 'on-local'].map((name) => found.get(name) ?? []);
    expect(ssh?.length).toBeGreaterThan(15);
    expect(slurm).toEqual(ssh);
    expect(local).toEqual(ssh?.filter(({ job }) => /^(prepare|sft)/.test(job)));
  });
});

function machine(): Record<string, unknown> {
  return { environments: given, cores: 2, memory_gb: 20 };
}

async function run(study: string, target: Record<string, unknown>, only?: readonly string[]): Promise<Ran> {
  const file = await writeBedStudy(folder, study, target, only === undefined ? {} : { only });
  const home = await freshHome();
  homes.push(home);
  const env = {
    HER_HOME: home,
    HER_ENVIRONMENTS: environments,
    INIT_CWD: folder,
    HER_SSH_CONFIG: bed.ssh.config,
  };
  const result = await her(home, ['run', file], { env });
  expect(result.exitCode, String(result.stderr)).toBe(0);
  const audit = await her(home, ['audit', 'seeds', '--json'], { env });
  expect(audit.exitCode, String(audit.stdout)).toBe(0);
  const { findings } = JSON.parse(String(audit.stdout)) as { findings: Finding[] };
  found.set(
    study,
    findings.map(({ job, source, planned, used, status, effect }) => ({
      job,
      source,
      planned,
      used,
      status,
      effect,
    })),
  );
  return { home, env, study };
}

async function expectWhole({ home, env }: Ran, nodes: readonly string[]): Promise<void> {
  const started = await entriesOf(home, '--kind', 'attempt.started');
  const [first = '', second = ''] = nodes;
  // prepare and evaluate take one node each, of those that are free; sft and rl take both.
  expect(started.length).toBe(6);
  expect(started.filter(({ node }) => node === first || node === second).length).toBe(6);
  const gangs = (await entriesOf(home, '--kind', 'node.ended')).map(
    ({ attempt, node }) => `${attempt} ${node}`,
  );
  expect(new Set(gangs).size).toBe(4);
  expect((await entriesOf(home, '--kind', 'checkpoint.saved')).length).toBe(4);
  expect((await entriesOf(home, '--kind', 'score')).length).toBeGreaterThan(0);
  expect((await her(home, ['ledger', 'verify'], { env })).exitCode).toBe(0);
}

/** A command in the folder of an attempt sees its files and its trainer, with its variables. */
async function expectEntered({ home, env, study }: Ran, job: string, node: string): Promise<void> {
  const look =
    'import os, swift; print(os.environ["HER_ATTEMPT"], swift.__version__, os.path.exists("sft.yaml"))';
  const words = ['exec', study, '--node', node, '--attempt', job, '--', 'python', '-c', look];
  const { stdout, stderr, exitCode } = await her(home, words, { env });
  expect(exitCode, String(stderr)).toBe(0);
  expect(stdout).toMatch(/^[0-9a-f]{16}-1 4\.6\.0 True$/);
}

/** Processes of trainers, Ray and agents, and folders that are theirs. */
async function leftOn(host: string): Promise<string[]> {
  const look =
    "ps -eo args | grep -E '[r]aylet|[g]cs_server|[r]ay::|[a]gent.pyz|[t]orchrun|[m]ain_ppo'; ls -d /tmp/her-* /tmp/ray* 2>/dev/null";
  const said = await bedCommand(['exec', host, '--', 'sh', '-c', `${look}; true`]);
  return (said ?? '').split('\n').filter((line) => line !== '');
}
