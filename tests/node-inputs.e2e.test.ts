import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Bundle, buildBundle } from '../packages/orchestrator/src/bundle/build.ts';
import { ensureBundle } from '../packages/orchestrator/src/bundle/send.ts';
import { hashTree } from '../packages/orchestrator/src/hash-tree.ts';
import { openHome } from '../packages/orchestrator/src/home.ts';
import type { NodeSide } from '../packages/orchestrator/src/place/node-side.ts';
import { openSshRunner, type SshRunner } from '../packages/orchestrator/src/ssh/open-runner.ts';
import { openStore } from '../packages/orchestrator/src/storage/store.ts';
import { buildAgent } from '../packages/orchestrator/src/targets/local/agent-archive.ts';
import { bringTo } from '../packages/orchestrator/src/targets/ssh/bring.ts';
import type { Held } from '../packages/orchestrator/src/targets/target.ts';
import { type Bed, bed, bedlessReason, computeHosts, openBed } from './support/bed.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 600_000 });

/** Two hosts that see nothing of each other's folders: each has a /tmp of its own. */
type Place = { bed: Bed; runners: SshRunner[]; sides: NodeSide[]; bundle: Bundle; root: string };

let place: Place;
const lines: string[] = [];
const say = (line: string): void => void lines.push(line);
const along = { say, signal: new AbortController().signal };
const why = bedlessReason('Inputs on nodes');

beforeAll(async () => {
  if (why !== null) return;
  const opened = await openBed();
  process.env['HER_SSH_CONFIG'] = opened.ssh.config;
  const home = openHome(await mkdtemp(join(tmpdir(), 'her-inputs-')));
  const bundle = await buildBundle(await buildAgent(join(home.root, 'agent')));
  const root = `/tmp/her-inputs-${randomBytes(4).toString('hex')}`;
  const runners = await Promise.all(
    computeHosts(opened, 2).map((host) => openSshRunner(host, { home, say })),
  );
  const sides = await Promise.all(
    runners.map(async (runner): Promise<NodeSide> => {
      const { folder, reused } = await ensureBundle(runner, root, bundle, { say });
      expect(reused).toBe(false);
      return { name: runner.host, runner, root, study: root, bundle: folder, python: 'python3' };
    }),
  );
  place = { bed: opened, runners, sides, bundle, root };
});

afterAll(async () => {
  if (why !== null) return;
  for (const runner of place?.runners ?? []) {
    await runner.run(['rm', '-rf', '--', place.root]);
    await runner.close();
  }
  await place?.bed.close();
});

const side = (number: number): NodeSide => {
  const found = place.sides[number];
  if (found === undefined) throw new Error('no such host');
  return found;
};

test.skipIf(why !== null)(
  'a second time nothing of a bundle is sent; one that was spoilt on the node is replaced',
  async () => {
    const { runner, root, bundle: folder } = side(0);
    lines.length = 0;
    expect(await ensureBundle(runner, root, place.bundle, { say })).toEqual({ folder, reused: true });
    expect(lines).toEqual([]);
    await runner.run(['sh', '-c', 'echo spoilt >> "$1"', 'sh', `${folder}/agent.pyz`]);
    expect(await ensureBundle(runner, root, place.bundle, { say })).toEqual({ folder, reused: false });
    expect(lines).toHaveLength(1);
  },
);

test.skipIf(why !== null)(
  'what one node has goes to the other, where roots are their own, and is reused there',
  async () => {
    const [from, to] = [side(0), side(1)];
    const out = `${from.root}/attempts/x-1/out/model`;
    const make =
      'mkdir -p "$1/sub" && head -c 10000000 /dev/urandom > "$1/sub/w.bin" && echo {} > "$1/config.json"';
    await from.runner.run(['sh', '-c', make, 'sh', out]);
    const held: Held = { kind: 'output', node: from.name, attempt: 'x-1', path: 'out/model', digest: null };
    const bringing = { to, shared: false, sideOf: async () => from };
    const found = await bringTo(bringing, held, along);
    expect(found.how).toBe('copied');
    const sum = ['sh', '-c', 'sha256sum < "$1"', 'sh'];
    const sums = [
      await from.runner.run([...sum, `${out}/sub/w.bin`]),
      await to.runner.run([...sum, `${found.path}/sub/w.bin`]),
    ];
    expect(sums[1]?.stdout).toBe(sums[0]?.stdout);
    expect(await bringTo(bringing, { ...held, digest: found.digest }, along)).toEqual({
      ...found,
      how: 'reused',
    });
  },
);

test.skipIf(why !== null)(
  'a link that is cut in the middle of a transfer: it goes on after, and nothing arrives twice',
  async () => {
    const to = side(0);
    const folder = await mkdtemp(join(tmpdir(), 'her-sent-'));
    await mkdir(join(folder, 'shards'));
    const size = 12_000_000;
    for (const n of [1, 2, 3, 4]) await writeFile(join(folder, 'shards', `${n}.bin`), randomBytes(size));
    const digest = await hashTree(folder);
    const held: Held = { kind: 'path', path: 'model', here: folder, digest, via: 'rsync' };
    lines.length = 0;
    let sent = 0;
    let cut: Promise<unknown> | undefined;
    const runner = {
      ...to.runner,
      run: (argv: readonly string[], options: Parameters<SshRunner['run']>[1] = {}) => {
        const { input } = options;
        if (typeof input !== 'object' || input instanceof Uint8Array) return to.runner.run(argv, options);
        return to.runner.run(argv, { ...options, input: watched(input) });
      },
    };
    async function* watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        sent += chunk.length;
        if (sent > 2.2 * size && cut === undefined) {
          await bed(['cut', to.name]);
          cut = new Promise((wake) => setTimeout(wake, 5000)).then(() => bed(['restore', to.name]));
        }
        yield chunk;
      }
    }
    const bringing = { to: { ...to, runner }, shared: false, sideOf: async () => to };
    const found = await bringTo(bringing, held, along);
    await cut;
    expect(cut).toBeDefined();
    expect(found).toMatchObject({ how: 'copied', digest });
    // Two files had arrived before the cut, and most of a third.
    expect(sent).toBeLessThan(4 * size + 0.9 * size);
    expect(await bringTo(bringing, held, along)).toEqual({ ...found, how: 'reused' });
    await writeFile(join(folder, 'shards', '1.bin'), 'other');
    const later: Held = { ...held, digest: 'a'.repeat(64) };
    await expect(bringTo(bringing, later, along)).rejects.toMatchObject({ code: 'INPUT_CHANGED' });
    await rm(folder, { recursive: true });
  },
);

test.skipIf(why !== null)(
  'a disk that is full on the node is one clear error, and nothing half is left that counts',
  async () => {
    const to = side(1);
    const small = `${to.root}-small`;
    const mount = 'mkdir -p "$1" && mount -t tmpfs -o size=20m none "$1"';
    const mounted = await to.runner.run(['sh', '-c', mount, 'sh', small]);
    expect(mounted).toMatchObject({ exitCode: 0 });
    const folder = await mkdtemp(join(tmpdir(), 'her-sent-'));
    try {
      const full = { ...to, root: small };
      const bringing = { to: full, shared: false, sideOf: async () => to };
      await writeFile(join(folder, 'big.bin'), randomBytes(30_000_000));
      const held: Held = {
        kind: 'path',
        path: 'big',
        here: folder,
        digest: await hashTree(folder),
        via: 'rsync',
      };
      await expect(bringTo(bringing, held, along)).rejects.toMatchObject({
        code: 'DISK_FULL',
        message: expect.stringMatching(new RegExp(`^${to.name}: .* GB free in`)),
      });
      const code = { files: [{ path: 'big.bin', bytes: await readFile(join(folder, 'big.bin')) }] };
      const large = await buildBundle(await buildAgent(folder), code as never);
      await expect(ensureBundle(to.runner, small, large, { say })).rejects.toMatchObject({
        code: 'DISK_FULL',
      });
      expect((await to.runner.run(['ls', '-A', `${small}/bundles`])).stdout).toBe('');
    } finally {
      await to.runner.run(['sh', '-c', 'umount "$1" && rmdir "$1"', 'sh', small]);
      await rm(folder, { recursive: true });
    }
  },
);

test.skipIf(why !== null)(
  'what lies in a store is fetched by the node itself, once, and again when it is other there',
  async () => {
    if (place.bed.s3 === null) throw new Error('the bed has no S3');
    const given = JSON.parse(await readFile(place.bed.s3.credentialsFile, 'utf8'));
    process.env['AWS_ACCESS_KEY_ID'] = given.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = given.secretAccessKey;
    const prefix = `inputs-${randomBytes(4).toString('hex')}`;
    const url = `s3://${given.bucket}/${prefix}`;
    const way = { endpoint: given.endpoint };
    const store = openStore({ ...way, to: url, keep: 2 });
    const to = side(1);
    const held = (path: string, digest: string | null = null): Held => ({
      kind: 'path',
      path,
      here: '',
      digest,
      via: null,
    });
    const bringing = { to, shared: false, sideOf: async () => to, store: way };
    try {
      await store.create(`${prefix}/model/config.json`, '{}');
      await store.create(`${prefix}/model/sub/w.bin`, 'weights');
      await store.create(`${prefix}/rows.jsonl`, 'rows\n');
      const model = await bringTo(bringing, held(`${url}/model`), along);
      expect(model.how).toBe('copied');
      expect((await to.runner.run(['cat', `${model.path}/sub/w.bin`])).stdout).toBe('weights');
      expect(await bringTo(bringing, held(`${url}/model`), along)).toEqual({ ...model, how: 'reused' });
      const { stdout } = await execa('sha256sum', { input: 'rows\n' });
      const pinned = stdout.slice(0, 64);
      const rows = await bringTo(bringing, held(`${url}/rows.jsonl`, pinned), along);
      expect(rows).toMatchObject({ digest: pinned, path: expect.stringMatching(/\/rows\.jsonl$/) });
      await store.remove([`${prefix}/rows.jsonl`]);
      await store.create(`${prefix}/rows.jsonl`, 'other rows\n');
      await expect(bringTo(bringing, held(`${url}/rows.jsonl`, pinned), along)).rejects.toMatchObject({
        code: 'INPUT_CHANGED',
      });
      await expect(bringTo(bringing, held(`${url}/none`), along)).rejects.toMatchObject({
        code: 'INPUT_MISSING',
      });
      const listed = await to.runner.run([
        'sh',
        '-c',
        'grep -rlE "X-Amz-Signature|$1" "$2"; true',
        'sh',
        given.secretAccessKey,
        to.root,
      ]);
      expect(listed.stdout).toBe('');
    } finally {
      await store.remove((await store.list(prefix)).map(({ key }) => key));
      store.close();
    }
  },
);

test.skipIf(why !== null)('a path of the nodes is hashed there, and what pins it decides', async () => {
  const to = side(0);
  const file = `${to.root}/rows.jsonl`;
  await to.runner.run(['sh', '-c', 'echo rows > "$1"', 'sh', file]);
  const { stdout } = await execa('sha256sum', { input: 'rows\n' });
  const held = (digest: string | null): Held => ({ kind: 'path', path: file, here: '', digest, via: null });
  const bringing = { to, shared: false, sideOf: async () => to };
  expect(await bringTo(bringing, held(stdout.slice(0, 64)), along)).toMatchObject({
    path: file,
    how: 'there',
  });
  await expect(bringTo(bringing, held('b'.repeat(64)), along)).rejects.toMatchObject({
    code: 'INPUT_CHANGED',
  });
});
