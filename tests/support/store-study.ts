import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plan } from '@her/configs';
import { type EntryBody, type Ledger, openLedger } from '@her/ledger';
import { openHome } from '../../packages/orchestrator/src/home.ts';
import { attemptEntries, chain } from '../../packages/orchestrator/src/reconcile/testing.ts';
import { digestOfFiles } from '../../packages/orchestrator/src/storage/manifest.ts';
import type { StorageNode } from '../../packages/orchestrator/src/storage/node.ts';
import { openStore, type Store } from '../../packages/orchestrator/src/storage/store.ts';
import { commandNode } from '../../packages/orchestrator/src/storage/testing.ts';
import { openUploader, type Uploader } from '../../packages/orchestrator/src/storage/uploader.ts';
import { buildAgent } from '../../packages/orchestrator/src/targets/local/agent-archive.ts';
import { type Bed, computeHosts, openBed } from './bed.ts';
import { entriesOf } from './her.ts';

type Credentials = { endpoint: string; bucket: string; accessKeyId: string; secretAccessKey: string };
type Opened = { uploader: Uploader; said: string[] };

export type StoreBed = Awaited<ReturnType<typeof storeBedOn>>;
export type StoreStudy = { name: string; plan: Plan; ledger: Ledger; attempt: string; folder: string };

/** A host and the S3 of the bed, and studies whose checkpoints go from the one to the other. */
export async function openStoreBed(): Promise<StoreBed> {
  const bed = await openBed();
  try {
    return await storeBedOn(bed);
  } catch (error) {
    await bed.close();
    throw error;
  }
}

async function storeBedOn(bed: Bed) {
  if (bed.s3 === null) throw new Error('the bed has no S3');
  const [host = ''] = computeHosts(bed, 1).slice(-1);
  const credentials: Credentials = JSON.parse(await readFile(bed.s3.credentialsFile, 'utf8'));
  process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
  process.env['HER_SSH_CONFIG'] = bed.ssh.config;
  const root = await mkdtemp(join(bed.shared, 'store-'));
  const home = join(root, 'home');
  const agent = await buildAgent(join(root, 'agent'));
  let numbers = 0;

  function originOf(name: string): string {
    return `her.local/${name}-${root.split('-').at(-1)}`;
  }

  function rootOf({ name }: Pick<StoreStudy, 'name'>): string {
    return join(openHome(home).study(name).node, 'studies', basename(originOf(name)));
  }

  async function openIn(name: string): Promise<Ledger> {
    const origin = originOf(name);
    const keyFile = openHome(home).keyFile(origin);
    await mkdir(dirname(keyFile), { recursive: true });
    return openLedger({ dir: openHome(home).study(name).ledger, origin, keyFile });
  }

  async function newStudy(): Promise<StoreStudy> {
    numbers += 1;
    const name = `stored-${numbers}`;
    const store = {
      to: `s3://${credentials.bucket}/${root.split('/').at(-1)}/${name}`,
      endpoint: credentials.endpoint,
      keep: 2,
    };
    const plan: Plan = {
      ...chain(),
      study: name,
      store,
      runsOn: hostsTarget(host, openHome(home).study(name).node),
    };
    const job = plan.jobs[1]?.id ?? '';
    const study = { name, plan, attempt: `${job}-1` };
    const ledger = await openIn(name);
    const folder = join(rootOf(study), 'attempts', study.attempt);
    await mkdir(folder, { recursive: true });
    const blob = await ledger.putBlob(JSON.stringify(plan));
    const digest = '0'.repeat(64);
    const [decision, started] = attemptEntries(job, 1) as [EntryBody, EntryBody];
    await ledger.append([
      { kind: 'study.registered', study: name, name, digest, fileBlob: blob, planBlob: blob },
      { ...decision, study: name },
      { ...started, study: name },
    ]);
    return { ...study, ledger, folder };
  }

  /** A checkpoint on disk, and the entry that its node's word for it becomes. */
  async function save(
    study: StoreStudy,
    step: number,
    wanted: [path: string, size: number][],
    uploader?: Uploader,
  ): Promise<string> {
    const path = `out/checkpoint-${step}`;
    const files = [];
    for (const [name, size] of wanted) {
      const bytes = randomBytes(size);
      const whole = join(study.folder, path, name);
      await mkdir(dirname(whole), { recursive: true });
      await writeFile(whole, bytes);
      files.push({ path: name, size, sha256: createHash('sha256').update(bytes).digest('hex') });
    }
    const digest = digestOfFiles(files);
    const { attempt, name } = study;
    const head = { study: name, job: attempt.slice(0, -2), attempt, node: host, seq: step + 10 };
    const entries = await study.ledger.append([
      { kind: 'checkpoint.saved', ...head, step, path, digest, files },
    ]);
    for (const entry of entries) uploader?.recorded(entry);
    return digest;
  }

  function onHost(study: StoreStudy): StorageNode {
    const alive = ['-o', 'ServerAliveInterval=1', '-o', 'ServerAliveCountMax=3', '-o', 'ConnectTimeout=5'];
    return commandNode(host, rootOf(study), ['ssh', '-F', bed.ssh.config, ...alive, host, 'python3', agent]);
  }

  async function withStore(to: string, act: (store: Store) => Promise<void>): Promise<void> {
    const { bucket, endpoint } = credentials;
    const store = openStore({ to: to || `s3://${bucket}`, endpoint, keep: 2 });
    try {
      await act(store);
    } finally {
      store.close();
    }
  }

  async function keysOf({ plan }: StoreStudy): Promise<string[]> {
    let keys: string[] = [];
    await withStore(specOf(plan).to, async (store) => {
      const prefix = `${specOf(plan).to.split('/').slice(3).join('/')}/`;
      keys = (await store.list(prefix)).map(({ key }) => key);
    });
    return keys;
  }

  async function storedEntries({ name }: StoreStudy): Promise<Record<string, unknown>[]> {
    return entriesOf(home, '--study', name, '--kind', 'checkpoint.stored');
  }

  return {
    host,
    root,
    home,
    agent,
    credentials,
    newStudy,
    reopened: async (study: StoreStudy): Promise<StoreStudy> => ({
      ...study,
      ledger: await openIn(study.name),
    }),
    rootOf,
    save,
    local: (study: StoreStudy): StorageNode => commandNode(host, rootOf(study), ['python3', agent]),
    onHost,
    withStore,
    keysOf,
    storedEntries,
    stored: async (study: StoreStudy): Promise<unknown[]> =>
      (await storedEntries(study)).map(({ step }) => step),
    close: async () => {
      await withStore('', async (store) => {
        const prefix = `${basename(root)}/`;
        await store.remove((await store.list(prefix)).map(({ key }) => key));
      });
      await rm(root, { recursive: true, force: true });
      await bed.close();
    },
  };
}

function hostsTarget(host: string, root: string): Plan['runsOn'] {
  return {
    ...{ kind: 'ssh', hosts: [host], addresses: {}, root },
    ...{ storage: 'shared', python: 'python3', environments: 'locked', cores: 2, memory_gb: 4 },
  } as const;
}

export async function openUploaderOf(
  { plan, ledger, name }: StoreStudy,
  { node, keep, ...more }: { node: StorageNode; keep?: number; store?: Store; firstPause?: number },
): Promise<Opened> {
  const said: string[] = [];
  const spec = { ...specOf(plan), ...(keep === undefined ? {} : { keep }) };
  const uploader: Uploader = await openUploader({
    ...{ spec, study: name, ledger, firstPause: 200, ...more },
    record: async (bodies) => {
      for (const entry of await ledger.append(bodies)) uploader.recorded(entry);
    },
    node: () => node,
    say: (line) => said.push(line),
  });
  return { uploader, said };
}

export async function finish({ ledger }: StoreStudy, uploader: Uploader): Promise<void> {
  await uploader.close();
  await ledger.close();
}

export function specOf({ store }: Plan): NonNullable<Plan['store']> {
  if (store === null) throw new Error('no store');
  return store;
}

/** A node whose words somebody hears. */
export function watched(
  node: StorageNode,
  hear: (said: { type: string; [key: string]: unknown }) => unknown,
): StorageNode {
  return {
    name: node.name,
    converse: async function* (...asked) {
      for await (const line of node.converse(...asked)) {
        await hear(JSON.parse(line));
        yield line;
      }
    },
  };
}
