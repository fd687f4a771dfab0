import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@her/configs';
import { type EntryBody, type Ledger, openLedger } from '@her/ledger';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashTree } from '../packages/orchestrator/src/hash-tree.ts';
import { openHome } from '../packages/orchestrator/src/home.ts';
import { attemptEntries, chain } from '../packages/orchestrator/src/reconcile/testing.ts';
import { digestOfFiles } from '../packages/orchestrator/src/storage/manifest.ts';
import type { StorageNode } from '../packages/orchestrator/src/storage/node.ts';
import { restoreCheckpoint } from '../packages/orchestrator/src/storage/restore-checkpoint.ts';
import { openStore, type Store } from '../packages/orchestrator/src/storage/store.ts';
import { commandNode } from '../packages/orchestrator/src/storage/testing.ts';
import { tryStore } from '../packages/orchestrator/src/storage/try-store.ts';
import { openUploader, type Uploader } from '../packages/orchestrator/src/storage/uploader.ts';
import { buildAgent } from '../packages/orchestrator/src/targets/local/agent-archive.ts';
import { type Bed, bed, computeHosts, openBed, whyNoBed } from './support/bed.ts';
import { checkout, entriesOf, her } from './support/her.ts';

const lacking = whyNoBed();
if (lacking !== null) process.stderr.write(`the store of checkpoints is not tested: ${lacking}.\n`);

type Credentials = { endpoint: string; bucket: string; accessKeyId: string; secretAccessKey: string };
type Study = { name: string; plan: Plan; ledger: Ledger; attempt: string; folder: string };
type Opened = { uploader: Uploader; said: string[] };

const MiB = 1024 * 1024;
const none = new AbortController().signal;
let here: Bed;
let host = '';
let root = '';
let home = '';
let agent = '';
let credentials: Credentials;
let numbers = 0;

describe.skipIf(lacking !== null)('a store of checkpoints', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    here = await openBed();
    if (here.s3 === null) throw new Error('the bed has no S3');
    [host = ''] = computeHosts(here, 1).slice(-1);
    credentials = JSON.parse(await readFile(here.s3.credentialsFile, 'utf8'));
    process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
    process.env['HER_SSH_CONFIG'] = here.ssh.config;
    root = await mkdtemp(join(here.shared, 'store-'));
    home = join(root, 'home');
    agent = await buildAgent(join(root, 'agent'));
  }, 900_000);

  afterAll(async () => {
    if (here === undefined) return;
    await withStore('', async (store) => {
      const prefix = `${root.split('/').at(-1)}/`;
      await store.remove((await store.list(prefix)).map(({ key }) => key));
    });
    await rm(root, { recursive: true, force: true });
    await here.close();
  });

  test('from a host over ssh to the store, and back by name; no credential or URL is left anywhere', async () => {
    const study = await newStudy();
    const digest = await save(study, 4, [
      ['model.bin', 40 * MiB + 17],
      ['deep/state.json', 123],
      ['empty', 0],
    ]);
    const commands: string[] = [];
    const { uploader, said } = await open(study, {
      node: watched(onHost(study), async (said) => {
        if (said.type !== 'piece') return;
        const { stdout } = await execa('sh', ['-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']);
        commands.push(stdout);
      }),
    });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    const [stored] = await entriesOf(home, '--study', study.name, '--kind', 'checkpoint.stored');
    expect(stored).toMatchObject({ step: 4, digest, node: host, bytes: 40 * MiB + 140 });
    expect(said.at(-1)).toMatch(/^checkpoint 4 of \S+ is stored: s3:\/\//);
    const out = join(root, 'fetched');
    const fetched = await her(home, ['fetch', 'sft/11@4', '--study', study.name, '--out', out, '--json']);
    expect(JSON.parse(String(fetched.stdout))).toMatchObject({ from: 'store', out, files: 3 });
    expect(await hashTree(out)).toBe(await hashTree(join(study.folder, 'out/checkpoint-4')));
    const again = await her(home, ['fetch', digest.slice(0, 12), '--study', study.name, '--out', out]);
    expect([again.exitCode, String(again.stderr)]).toEqual([2, expect.stringContaining('[FILE_TAKEN]')]);
    const other = `${out}-node`;
    const byNode = ['fetch', 'sft/11', '--study', study.name, '--out', other, '--from', 'node'];
    expect((await her(home, byNode)).stderr).toBe('');
    expect(await hashTree(other)).toBe(await hashTree(out));
    const grep = await execa('grep', ['-rlE', `${credentials.secretAccessKey}|X-Amz-Signature`, root], {
      reject: false,
    });
    expect(grep.stdout).toBe('');
    expect(commands.join().includes('X-Amz-')).toBe(false);
    expect(commands.join().includes(credentials.secretAccessKey)).toBe(false);
    expect(commands.join()).toContain(' upload --root');
  });

  test('an agent that is killed in the middle: what the store has is not sent again', async () => {
    const study = await newStudy();
    await save(study, 4, [['model.bin', 112 * MiB]]);
    const sent: number[] = [];
    let pid = 0;
    const node = watched(
      commandNode(host, rootOf(study), ['python3', agent], (started) => {
        pid = started;
      }),
      (said) => {
        if (said.type !== 'sent') return;
        sent.push(Number(said['part']));
        if (sent.length === 3) process.kill(pid, 'SIGKILL');
      },
    );
    const { uploader } = await open(study, { node });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    const twice = sent.length - new Set(sent).size;
    process.stderr.write(`agent killed: 7 parts, ${sent.length} sent, ${twice} of them twice\n`);
    // Those that were under way when it was killed may be there without its word.
    expect(twice).toBe(0);
    expect(await stored(study)).toEqual([4]);
  });

  test('an orchestrator that is killed in the middle, and started again', async () => {
    const study = await newStudy();
    await save(study, 4, [['model.bin', 112 * MiB]]);
    await study.ledger.close();
    const child = execa('node', ['--input-type=module-typescript', '-e', orchestrator(study)], {
      cwd: checkout,
      reject: false,
      buffer: false,
    } as const);
    const before: string[] = [];
    for await (const line of child) {
      before.push(line);
      if (before.length === 3) child.kill('SIGKILL');
    }
    expect(before.length).toBeGreaterThanOrEqual(3);
    const next = await reopened(study);
    const after: number[] = [];
    const node = watched(local(next), (said) => said.type === 'sent' && after.push(Number(said['part'])));
    const { uploader } = await open(next, { node });
    expect(await uploader.drain(none)).toBe(0);
    await finish(next, uploader);
    process.stderr.write(`orchestrator killed: 7 parts, ${before.length} before, ${after.length} after\n`);
    expect(after.length).toBeLessThanOrEqual(7 - 3);
    expect(await stored(study)).toEqual([4]);
  });

  test('a link that is cut for some seconds', async () => {
    const study = await newStudy();
    await save(study, 4, [['model.bin', 224 * MiB]]);
    const sent: number[] = [];
    let restored: Promise<unknown> | undefined;
    const node = watched(onHost(study), async (said) => {
      if (said.type === 'sent') sent.push(Number(said['part']));
      if (sent.length !== 2 || restored !== undefined) return;
      restored = sleep(6_000);
      await bed(['cut', host]);
      restored = sleep(6_000).then(() => bed(['restore', host]));
    });
    const { uploader, said } = await open(study, { node, firstPause: 3_000 });
    const left = await uploader.drain(none).finally(() => restored);
    await finish(study, uploader);
    process.stderr.write(`link cut: 14 parts, ${sent.length} sent; ${said[0]}\n`);
    expect(left).toBe(0);
    expect(said[0]).toMatch(/^checkpoints are not stored: .*; it is tried again$/);
    expect(sent.length).toBeLessThanOrEqual(14 + 8);
    expect(await stored(study)).toEqual([4]);
  });

  test('URLs that ran out are renewed, and the store refuses other bytes than were signed for', async () => {
    const study = await newStudy();
    await save(study, 4, [['model.bin', 20 * MiB]]);
    const short = openStore(specOf(study.plan), { urlSeconds: 1 });
    const store = openStore(specOf(study.plan));
    let late = 0;
    const signPart: Store['signPart'] = async (...asked) => {
      if (late > 0) return store.signPart(...asked);
      late += 1;
      const signed = await short.signPart(...asked);
      await sleep(2_500);
      return signed;
    };
    const failures: unknown[] = [];
    const node = watched(local(study), (said) => said.type === 'failed' && failures.push(said));
    const { uploader } = await open(study, { node, store: { ...store, signPart } });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(failures).toEqual([expect.objectContaining({ status: 403 })]);
    const right = createHash('sha256').update('right').digest('hex');
    const { url, headers } = await store.signPut(`${study.name}/x`, right);
    const refused = await fetch(url, { method: 'PUT', headers, body: 'wrong' });
    expect([refused.status, await store.facts(`${study.name}/x`)]).toEqual([400, null]);
    short.close();
    store.close();
  });

  test('a checkpoint that is no longer what was saved leaves nothing in the store', async () => {
    const study = await newStudy();
    await save(study, 4, [['model.bin', 40 * MiB]]);
    const file = join(study.folder, 'out/checkpoint-4/model.bin');
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(file, bytes);
    const { uploader, said } = await open(study, { node: local(study) });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(said).toEqual([
      expect.stringMatching(/can no longer be stored: .*model\.bin is not the file that was saved/),
    ]);
    const [removed] = await entriesOf(home, '--study', study.name, '--kind', 'checkpoint.removed');
    expect(removed).toMatchObject({ from: 'node', step: 4 });
    await withStore(specOf(study.plan).to, async (store) => {
      const prefix = `${specOf(study.plan).to.split('/').slice(3).join('/')}/`;
      expect([await store.list(prefix), await store.uploads(prefix)]).toEqual([[], []]);
    });
  });

  test('credentials that are wrong are one line, and nothing fails', async () => {
    const study = await newStudy();
    await save(study, 4, [['small', 9]]);
    const secret = 'wrong'.repeat(8);
    process.env['AWS_SECRET_ACCESS_KEY'] = secret;
    try {
      await expect(tryStore(specOf(study.plan))).rejects.toMatchObject({ code: 'STORE_REFUSED' });
      const { uploader, said } = await open(study, { node: local(study) });
      expect(await uploader.drain(none)).toBe(1);
      expect(said).toEqual([
        expect.stringMatching(/^checkpoints are not stored: cannot .*SignatureDoesNotMatch.*AWS_PROFILE/),
        '1 checkpoint is not stored yet; `her run` goes on',
      ]);
      expect(said.join()).not.toContain(secret);
      await uploader.close();
    } finally {
      process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
    }
    await tryStore(specOf(study.plan));
    const { uploader } = await open(study, { node: local(study) });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(await stored(study)).toEqual([4]);
  });

  test('pruning keeps the two newest and what is referred to; a removal that was cut short is finished', async () => {
    const study = await newStudy();
    for (const step of [1, 2, 3, 4, 5, 6]) await save(study, step, [['weights', 1000 + step]]);
    const { name, ledger, attempt } = study;
    const head = { study: name, job: attempt.slice(0, -2), attempt };
    const { uploader } = await open(study, { node: local(study), keep: 9 });
    expect(await uploader.drain(none)).toBe(0);
    await uploader.close();
    const output = { node: host, seq: 99, name: 'model', path: 'out/checkpoint-1', files: [] };
    const [, , , third] = (await storedEntries(study)).toSorted(
      (a, b) => Number(b['step']) - Number(a['step']),
    );
    await ledger.append([
      { kind: 'artifact', ...head, ...output, digest: '0'.repeat(64) },
      // As a run left it that was killed between the record of a removal and the removal.
      ...(third === undefined ? [] : [removalOf(third)]),
    ]);
    await ledger.close();
    const shown = JSON.parse(String((await her(home, ['prune', name, '--json'])).stdout));
    const going = shown.checkpoints.filter(({ stays }: { stays: boolean }) => !stays);
    expect(going.map(({ step }: { step: number }) => step).sort()).toEqual([2, 4]);
    expect(await keysOf(study)).toHaveLength(12);
    const applied = await her(home, ['prune', name, '--apply']);
    expect(String(applied.stdout)).toMatch(/removed 2 \(\S+ k?B\), and what 1 earlier one had left\n?$/);
    const steps = (await keysOf(study)).map((key) => /checkpoint-(\d)/.exec(key)?.[1]);
    expect([...new Set(steps)].sort()).toEqual(['1', '5', '6']);
    const removed = await entriesOf(home, '--study', name, '--kind', 'checkpoint.removed');
    expect(removed.map(({ step }) => step).sort()).toEqual([2, 3, 4]);
    expect(String((await her(home, ['prune', name, '--apply'])).stdout)).toMatch(/removed 0 \(0 B\)\n?$/);
  });

  test('the run itself keeps as many as the study says, and a lost one comes back to its node', async () => {
    const study = await newStudy();
    const { uploader } = await open(study, { node: onHost(study) });
    for (const step of [1, 2, 3]) {
      await save(study, step, [['weights', 20 * MiB + step]], uploader);
      await sleep(1_500);
    }
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(
      (await storedEntries(study))
        .map(({ step }) => step)
        .toSorted()
        .slice(-2),
    ).toEqual([2, 3]);
    const steps = (await keysOf(study)).map((key) => /checkpoint-(\d)/.exec(key)?.[1]);
    expect([...new Set(steps)].sort()).toEqual(['2', '3']);
    const folder = join(study.folder, 'out/checkpoint-3');
    const before = await hashTree(folder);
    await rm(folder, { recursive: true });
    const last = (await storedEntries(study)).find(({ step }) => step === 3) ?? {};
    await withStore(specOf(study.plan).to, async (store) => {
      const checkpoint = { attempt: study.attempt, path: 'out/checkpoint-3', digest: String(last['digest']) };
      const owner = { study: study.name, ledger: study.ledger.origin };
      const url = String(last['url']);
      const told = { store, owner, node: onHost(study), checkpoint, url, signal: none };
      expect(await restoreCheckpoint(told)).toMatchObject({ received: 20 * MiB + 3 });
    });
    expect(await hashTree(folder)).toBe(before);
  });
});

async function newStudy(): Promise<Study> {
  numbers += 1;
  const name = `stored-${numbers}`;
  const store = {
    to: `s3://${credentials.bucket}/${root.split('/').at(-1)}/${name}`,
    endpoint: credentials.endpoint,
    keep: 2,
  };
  const plan: Plan = { ...chain(), study: name, store, runsOn: hostsTarget(name) };
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

function hostsTarget(name: string): Plan['runsOn'] {
  return {
    ...{ kind: 'ssh', hosts: [host], addresses: {}, root: openHome(home).study(name).node },
    ...{ storage: 'shared', python: 'python3', environments: 'locked', cores: 2, memory_gb: 4 },
  } as const;
}

async function openIn(name: string): Promise<Ledger> {
  const origin = originOf(name);
  const keyFile = openHome(home).keyFile(origin);
  await mkdir(dirname(keyFile), { recursive: true });
  return openLedger({ dir: openHome(home).study(name).ledger, origin, keyFile });
}

async function reopened(study: Study): Promise<Study> {
  return { ...study, ledger: await openIn(study.name) };
}

/** A checkpoint on disk, and the entry that its node's word for it becomes. */
async function save(
  study: Study,
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

async function open(
  { plan, ledger, name }: Study,
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

async function finish({ ledger }: Study, uploader: Uploader): Promise<void> {
  await uploader.close();
  await ledger.close();
}

function specOf({ store }: Plan): NonNullable<Plan['store']> {
  if (store === null) throw new Error('no store');
  return store;
}

function rootOf({ name }: Pick<Study, 'name'>): string {
  return join(openHome(home).study(name).node, 'studies', basename(originOf(name)));
}

function originOf(name: string): string {
  return `her.local/${name}-${root.split('-').at(-1)}`;
}

function local(study: Study): StorageNode {
  return commandNode(host, rootOf(study), ['python3', agent]);
}

function onHost(study: Study): StorageNode {
  const alive = ['-o', 'ServerAliveInterval=1', '-o', 'ServerAliveCountMax=3', '-o', 'ConnectTimeout=5'];
  return commandNode(host, rootOf(study), ['ssh', '-F', here.ssh.config, ...alive, host, 'python3', agent]);
}

/** A node whose words somebody hears. */
function watched(
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

/** A program that does what a run does about checkpoints, and says each part that was sent. */
function orchestrator({ name, plan, ledger }: Study): string {
  const from = (path: string) => JSON.stringify(join(checkout, 'packages', path));
  const { dir, origin } = ledger;
  const keyFile = openHome(home).keyFile(origin);
  return `
    import { openLedger } from ${from('ledger/src/index.ts')};
    import { commandNode } from ${from('orchestrator/src/storage/testing.ts')};
    import { openUploader } from ${from('orchestrator/src/storage/uploader.ts')};
    const ledger = await openLedger(${JSON.stringify({ dir, origin, keyFile })});
    const inner = commandNode('${host}', '${rootOf({ name })}', ['python3', '${agent}']);
    const node = { name: inner.name, converse: async function* (...asked) {
      for await (const line of inner.converse(...asked)) {
        if (JSON.parse(line).type === 'sent') console.log('sent');
        yield line;
      }
    } };
    const uploader = await openUploader({ spec: ${JSON.stringify(plan.store)}, study: '${name}', ledger,
      record: (bodies) => ledger.append(bodies), node: () => node, say: () => undefined });
    await uploader.drain(new AbortController().signal);`;
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

async function keysOf({ plan }: Study): Promise<string[]> {
  let keys: string[] = [];
  await withStore(specOf(plan).to, async (store) => {
    const prefix = `${specOf(plan).to.split('/').slice(3).join('/')}/`;
    keys = (await store.list(prefix)).map(({ key }) => key);
  });
  return keys;
}

async function storedEntries({ name }: Study): Promise<Record<string, unknown>[]> {
  return entriesOf(home, '--study', name, '--kind', 'checkpoint.stored');
}

async function stored(study: Study): Promise<unknown[]> {
  return (await storedEntries(study)).map(({ step }) => step);
}

function removalOf(entry: Record<string, unknown>): EntryBody {
  const { study, job, attempt, step, path, digest, url } = entry;
  const why = 'a test';
  return {
    kind: 'checkpoint.removed',
    from: 'store',
    ...{ study, job, attempt, step, path, digest, url, why },
  } as EntryBody;
}
