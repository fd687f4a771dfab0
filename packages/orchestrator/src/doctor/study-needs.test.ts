import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@her/configs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../home.ts';
import { needsOf } from './study-needs.ts';
import { plannedStudy } from './testing-study.ts';

let folder = '';
let home: Home;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-needs-'));
  home = openHome(folder, {});
});
afterAll(() => rm(folder, { recursive: true }));

const nodes = [
  { name: 'n0', address: '10.0.0.1' },
  { name: 'n1', address: null },
];

async function of(parts: Parameters<typeof plannedStudy>[1] = {}, below = '', change?: (job: Job) => Job) {
  const looked = plannedStudy(below, parts);
  const plan = change === undefined ? looked.plan : { ...looked.plan, jobs: looked.plan.jobs.map(change) };
  return needsOf(looked, plan, home, nodes);
}

const ssh = (more: string) =>
  `{ kind: ssh, hosts: [n0, n1], root: /data/her, cores: 96, memory_gb: 2000, ${more} }`;
const eight = 'gpus: { per_node: 8, kind: H100-80 }';
const local = '{ kind: local, device: cpu, cores: 4, memory_gb: 16 }';

test('what a target says of its nodes is what is asked of them', async () => {
  expect(await of()).toMatchObject({
    kind: 'ssh',
    gangs: true,
    nodes,
    root: '/data/her',
    storage: 'shared',
    python: 'python3',
    gpus: { perNode: 8, kind: 'H100-80', memoryGb: 80 },
    image: null,
  });
  const other = await of({
    target: ssh('gpus: { per_node: 8, memory_gb: 40 }, python: /opt/py/bin/python3'),
  });
  expect(other).toMatchObject({ python: '/opt/py/bin/python3', gpus: { kind: null, memoryGb: 40 } });
});

test('this machine lends its own folders, and its paths start at the study', async () => {
  const want = await of({ target: local, base: './model', stage: '' });
  expect(want).toMatchObject({ kind: 'local', root: home.study('looked-at').node, gpus: null, servers: [] });
  expect(want.inputs).toContainEqual({ name: './model', path: '/here/./model', model: true });
  expect(want.environments[0]?.path.startsWith(home.environments)).toBe(true);
});

test('models and data on the nodes are looked at there, those that are copied or fetched are not', async () => {
  expect((await of()).inputs).toEqual([
    { name: '/models/qwen', path: '/models/qwen', model: true },
    { name: '/data/rows.jsonl', path: '/data/rows.jsonl', model: false },
  ]);
  const copied = await of({ base: '/models/qwen, via: rsync' });
  expect(copied.inputs.map(({ path }) => path)).toEqual(['/data/rows.jsonl']);
  const stored = await of({ base: 's3://bucket/qwen' });
  expect(stored.inputs.map(({ path }) => path)).toEqual(['/data/rows.jsonl']);
});

test('the locked environment is named by its lock under the root, with the versions that decide', async () => {
  const [swift, ...others] = (await of()).environments;
  expect(others).toEqual([]);
  expect(swift).toMatchObject({
    name: 'swift',
    locked: true,
    trainer: { package: 'ms-swift', version: '4.6.0' },
    pinned: { 'ms-swift': '4.6.0', torch: expect.stringMatching(/^\d+\.\d+/) },
  });
  expect(swift?.path).toMatch(/^\/data\/her\/envs\/swift-[0-9a-f]{12}$/);
  expect(swift?.bytes).toBeGreaterThan(1e9);
});

test('a folder that somebody made is looked at as it is, a container instead of any', async () => {
  const given = await of({ target: ssh(`${eight}, environments: { swift: { path: /opt/envs/swift } }`) });
  expect(given.environments).toEqual([expect.objectContaining({ path: '/opt/envs/swift', locked: false })]);
  const name = `docker://her/swift@sha256:${'0'.repeat(64)}`;
  const image = await of({ target: ssh(`${eight}, environments: { image: "${name}", with: apptainer }`) });
  expect(image).toMatchObject({ environments: [], image: { name, with: 'apptainer' } });
});

test('the index of packages is asked where trainers are to be set up from it', async () => {
  const locked = await of();
  expect(locked.servers).toEqual([expect.objectContaining({ port: 443, tls: true, onlyToSetUp: true })]);
  const given = await of({ target: ssh(`${eight}, environments: { swift: { path: /opt/envs/swift } }`) });
  expect(given.servers).toEqual([]);
});

test('nodes must reach the store of checkpoints, at its endpoint and port', async () => {
  const store = async (more: string) =>
    (await of({}, `checkpoints: { to: "s3://bucket/her"${more} }\n`)).servers.find(
      ({ onlyToSetUp }) => !onlyToSetUp,
    );
  expect(await store('')).toMatchObject({ host: 's3.us-east-1.amazonaws.com', port: 443, tls: true });
  expect(await store(', region: eu-west-1')).toMatchObject({ host: 's3.eu-west-1.amazonaws.com' });
  expect(await store(', endpoint: "http://10.0.0.9:9000"')).toMatchObject({
    name: '10.0.0.9:9000',
    host: '10.0.0.9',
    port: 9000,
    tls: false,
  });
});

const flashOf = async (
  settings: Record<string, unknown>,
  more: Partial<Job> = {},
  name: 'swift' | 'verl' = 'swift',
) => {
  const set = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, { value, origin: 'user' }]),
  ) as Job['settings'];
  const { environments } = await of({}, '', (job) => ({
    ...job,
    environment: name,
    settings: { ...(name === 'swift' ? job.settings : {}), ...set },
    ...more,
  }));
  return environments[0]?.flash;
};

test.each([
  ['by its option', { attn_impl: 'flash_attn' }],
  ['by the option of its successor', { attn_impl: 'flash_attention_2' }],
  ['by packing rows', { packing: true }],
  ['by rows without padding', { padding_free: true }],
])('a stage of ms-swift asks for flash attention %s', async (_, settings) => {
  expect(await flashOf(settings)).toEqual(['sft']);
});

test('a stage of ms-swift does not ask for it otherwise, nor without GPUs, nor where nothing is trained', async () => {
  expect(await flashOf({})).toEqual([]);
  expect(await flashOf({ attn_impl: 'sdpa', packing: false })).toEqual([]);
  const flash = { attn_impl: 'flash_attn' };
  expect(await flashOf(flash, { resources: { cores: 4, memoryGb: 16, nodes: 1, gpus: 0 } })).toEqual([]);
  expect(await flashOf(flash, { kind: 'evaluate' })).toEqual([]);
});

test('verl asks for it unless it is told another way: it is its default', async () => {
  const option = 'actor_rollout_ref.model.override_config.attn_implementation';
  expect(await flashOf({}, { kind: 'rl' }, 'verl')).toEqual(['sft']);
  expect(await flashOf({ [option]: 'flash_attention_2' }, { kind: 'rl' }, 'verl')).toEqual(['sft']);
  expect(await flashOf({ [option]: 'sdpa' }, { kind: 'rl' }, 'verl')).toEqual([]);
  expect(await flashOf({ [option]: 'eager' }, { kind: 'rl' }, 'verl')).toEqual([]);
});

test.each([
  [{}, 'www.modelscope.cn', 443, true],
  [{ USE_HF: '1' }, 'huggingface.co', 443, true],
  [{ USE_HF: '1', HF_ENDPOINT: 'https://mirror.example' }, 'mirror.example', 443, true],
  [{ USE_HF: '1', HF_ENDPOINT: 'http://mirror.example:8080' }, 'mirror.example', 8080, false],
])('a model of a hub is fetched from the one that its variables name: %j', async (env, host, port, tls) => {
  const { servers } = await of({}, '', (job) => ({
    ...job,
    env: { ...env },
    inputs: job.inputs.map(
      (input) => ({ ...input, from: { kind: 'hub', id: 'a/b' } }) as Job['inputs'][number],
    ),
  }));
  expect(servers.filter(({ onlyToSetUp }) => !onlyToSetUp)).toEqual([
    { name: host, host, port, tls, why: 'sft/1 fetches from it', onlyToSetUp: false },
  ]);
});

test('a plan with fewer jobs asks for less; one with none for the place alone', async () => {
  const looked = plannedStudy();
  const none = await needsOf(looked, { ...looked.plan, jobs: [] }, home, nodes);
  expect(none).toMatchObject({
    gangs: false,
    cores: 1,
    memoryGb: 0,
    environments: [],
    inputs: [],
    servers: [],
  });
  expect(none.gpus).toEqual({ perNode: 0, kind: 'H100-80', memoryGb: 80 });
  const gang = await of({}, '', (job) => ({ ...job, resources: { ...job.resources, nodes: 2 } }));
  expect(gang.gangs).toBe(true);
});
