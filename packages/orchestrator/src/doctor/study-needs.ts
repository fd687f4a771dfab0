import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Job, type JobCost, type Plan, planCosts } from '@her/configs';
import { type EnvironmentName, readEnvironmentLock } from '../environments/lock-file.ts';
import { environmentFolder } from '../environments/sync.ts';
import type { Home } from '../home.ts';
import type { PlannedStudy } from '../study-file.ts';
import { diskNeed, type EnvironmentNeed, type Needs, type Server } from './needs.ts';

type Place = Pick<Needs, 'root' | 'storage' | 'python' | 'nodes'>;

/** What a study asks of its nodes. `plan` may hold fewer jobs than the study: those that are still to be done. */
export async function needsOf(
  { loaded, study, locate }: Pick<PlannedStudy, 'loaded' | 'study' | 'locate'>,
  plan: Plan,
  home: Home,
  nodes: Needs['nodes'],
): Promise<Needs> {
  const target = plan.runsOn;
  const place = placeOf(target, home, plan.study, nodes);
  const costs: ReadonlyMap<string, JobCost> = planCosts(loaded, plan);
  const environments = await environmentNeeds(plan, home, place.root);
  const resources = plan.jobs.map((job) => job.resources);
  const image = target.kind !== 'local' && hasImage(target.environments) ? target.environments : null;
  return {
    ...place,
    kind: target.kind,
    gangs: resources.some((each) => each.nodes > 1),
    gpus:
      target.gpus === undefined
        ? null
        : {
            perNode: Math.max(0, ...resources.map((each) => each.gpus)),
            kind: target.gpus.kind ?? null,
            memoryGb: target.gpus.memory_gb ?? Number(target.gpus.kind?.split('-').at(-1) ?? 0),
          },
    cores: Math.max(1, ...resources.map((each) => each.cores)),
    memoryGb: Math.max(0, ...resources.map((each) => each.memoryGb)),
    disk: diskNeed(plan, costs, nodes.length, place.storage),
    environments: image === null ? environments : [],
    image: image === null ? null : { name: image.image, with: image.with },
    inputs: inputsOf(plan, study, target.kind === 'local' ? locate : (path) => path),
    servers: [...hubServers(plan.jobs), ...storeServer(plan), ...(await indexServer(plan, image !== null))],
  };
}

type OnNodes = Extract<Plan['runsOn'], { kind: 'ssh' | 'slurm' }>['environments'];

function hasImage(environments: OnNodes): environments is Extract<OnNodes, { image: string }> {
  return typeof environments === 'object' && 'image' in environments;
}

function placeOf(target: Plan['runsOn'], home: Home, study: string, nodes: Needs['nodes']): Place {
  if (target.kind === 'local')
    return { root: home.study(study).node, storage: 'shared', python: 'python3', nodes };
  const storage = target.kind === 'ssh' ? target.storage : 'shared';
  return { root: target.root, storage, python: target.python, nodes };
}

const trainers = {
  swift: { label: 'ms-swift', others: ['torch', 'transformers', 'deepspeed'] },
  verl: { label: 'verl', others: ['torch', 'transformers', 'vllm', 'ray'] },
} as const satisfies Record<EnvironmentName, { label: string; others: readonly string[] }>;

/** Unpacked, the packages take about this many times what is downloaded. */
const unpackedFactor = 2.6;

async function environmentNeeds(plan: Plan, home: Home, root: string): Promise<EnvironmentNeed[]> {
  const target = plan.runsOn;
  const names = [...new Set(plan.jobs.map(({ environment }) => environment))];
  return Promise.all(
    names.map(async (name) => {
      const lock = await readEnvironmentLock(name, target.gpus !== undefined);
      const { label, others } = trainers[name];
      const pinned = await lockedVersions(join(lock.project, 'uv.lock'), [label, ...others]);
      const given =
        target.kind === 'local' || typeof target.environments === 'string' || hasImage(target.environments)
          ? undefined
          : target.environments[name]?.path;
      return {
        name,
        path: given ?? environmentFolder(target.kind === 'local' ? home.environments : `${root}/envs`, lock),
        locked: given === undefined,
        trainer: { package: label, version: pinned[label] ?? '' },
        pinned,
        bytes: lock.bytes * unpackedFactor,
        flash: flashStages(plan.jobs, name),
      };
    }),
  );
}

/** Stages whose trainer asks for flash attention: by its option, by packing rows, or because it is verl's default. */
function flashStages(jobs: readonly Job[], name: EnvironmentName): string[] {
  const asking = jobs.filter(({ kind, environment, resources, settings }) => {
    if (environment !== name || resources.gpus === 0 || !['sft', 'rlhf', 'rl'].includes(kind)) return false;
    const set = (option: string) => String(settings[option]?.value ?? '');
    const verl = set('actor_rollout_ref.model.override_config.attn_implementation');
    return name === 'verl'
      ? verl === '' || verl.startsWith('flash')
      : set('attn_impl').startsWith('flash') || set('packing') === 'true' || set('padding_free') === 'true';
  });
  return [...new Set(asking.map(({ stage }) => stage))];
}

async function lockedVersions(file: string, names: readonly string[]): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8');
  const found = [...text.matchAll(/^name = "([^"]+)"\nversion = "([^"]+)"/gm)];
  return Object.fromEntries(
    found.flatMap(([, name = '', version = '']) => (names.includes(name) ? [[name, version]] : [])),
  );
}

/** What jobs read on the nodes: what is copied there from here is checked here, before it is copied. */
function inputsOf(
  plan: Plan,
  study: PlannedStudy['study'],
  locate: (path: string) => string,
): Needs['inputs'] {
  const copied = new Set(
    [...Object.values(study.models), ...Object.values(study.data)].flatMap(({ path, via }) =>
      path !== undefined && via !== undefined ? [path] : [],
    ),
  );
  const found = new Map<string, Needs['inputs'][number]>();
  for (const { name, from } of plan.jobs.flatMap(({ inputs }) => inputs)) {
    if (from.kind !== 'path' || copied.has(from.path) || from.path.startsWith('s3://')) continue;
    const model = /^(model|reward-model|models\/.*)$/.test(name);
    found.set(from.path, { name: from.path, path: locate(from.path), model });
  }
  return [...found.values()];
}

function hubServers(jobs: readonly Job[]): Server[] {
  const asking = jobs.filter(({ inputs }) => inputs.some(({ from }) => from.kind === 'hub'));
  const servers = asking.map(({ env, environment, name }) => {
    const mirror = env['HF_ENDPOINT'] === undefined ? null : new URL(env['HF_ENDPOINT']);
    const scope = environment === 'swift' && env['USE_HF'] !== '1' && mirror === null;
    const host = mirror?.hostname ?? (scope ? 'www.modelscope.cn' : 'huggingface.co');
    const port = Number(mirror?.port || (mirror?.protocol === 'http:' ? 80 : 443));
    const tls = mirror?.protocol !== 'http:';
    return { name: host, host, port, tls, why: `${name} fetches from it`, onlyToSetUp: false };
  });
  return servers.filter((server, i) => servers.findIndex(({ name }) => name === server.name) === i);
}

/** Nodes upload checkpoints themselves, to addresses that are signed here. */
function storeServer({ store, runsOn }: Plan): Server[] {
  if (store === null || runsOn.kind === 'local') return [];
  const region = store.region ?? 'us-east-1';
  const url = new URL(store.endpoint ?? `https://s3.${region}.amazonaws.com`);
  const tls = url.protocol === 'https:';
  const port = Number(url.port || (tls ? 443 : 80));
  return [
    {
      name: url.host,
      host: url.hostname,
      port,
      tls,
      why: 'checkpoints are uploaded to it',
      onlyToSetUp: false,
    },
  ];
}

async function indexServer({ runsOn, jobs }: Plan, image: boolean): Promise<Server[]> {
  if (runsOn.kind === 'local' || image || runsOn.environments !== 'locked' || jobs.length === 0) return [];
  const lock = await readEnvironmentLock(jobs[0]?.environment ?? 'swift', runsOn.gpus !== undefined);
  const text = await readFile(join(lock.project, 'uv.lock'), 'utf8');
  const registry = text.match(/registry = "(https:\/\/[^"]+)"/)?.[1];
  if (registry === undefined) return [];
  const { hostname } = new URL(registry);
  const why = 'the packages of the trainers come from it';
  return [{ name: hostname, host: hostname, port: 443, tls: true, why, onlyToSetUp: true }];
}
