import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import { hashTree } from '../../hash-tree.ts';
import { madeUpNode, scratch, watched } from '../../place/testing.ts';
import type { Held } from '../target.ts';
import { bringTo } from './bring.ts';
import { along, model, noOther, patience, sent } from './testing-bring.ts';

// Each call of the agent is a process.
vi.setConfig({ testTimeout: 240_000 });

test('a folder of this machine is sent once, byte for byte, and known by the hash of the plan', async () => {
  const [folder, { runner, calls }] = [await model(), watched()];
  const to = await madeUpNode('a', runner);
  const digest = await hashTree(folder);
  const { lines, ...walk } = along();
  const bringing = { to, shared: false, sideOf: noOther, patience };
  const first = await bringTo(bringing, sent(folder, digest), walk);
  expect(first).toEqual({ path: join(to.root, 'store', digest), digest, how: 'copied' });
  expect(await hashTree(first.path)).toBe(digest);
  expect(lines).toEqual(['a: model: sending 3.0 MB']);
  expect(await bringTo(bringing, sent(folder, digest), walk)).toEqual({ ...first, how: 'reused' });
  expect(calls).toEqual([
    'place-have',
    'place-want',
    'place-receive',
    'place-want',
    'place-seal',
    'place-have',
  ]);
  expect(await readdir(join(to.root, 'store'))).toEqual([`.part-${digest}.lock`, digest]);
});

test('a file alone keeps its name; a study may pin it as sha256sum shows it', async () => {
  const file = join(await scratch(), 'train.jsonl');
  await writeFile(file, '{"a":1}\n');
  const pinned = (await execa('sha256sum', [file])).stdout.slice(0, 64);
  for (const digest of [await hashTree(file), pinned]) {
    const to = await madeUpNode('a');
    const bringing = { to, shared: false, sideOf: noOther };
    const found = await bringTo(bringing, sent(file, digest), along());
    expect(found).toEqual({
      path: join(to.root, 'store', `${digest}-file`, 'train.jsonl'),
      digest,
      how: 'copied',
    });
    expect(await readFile(found.path, 'utf8')).toBe('{"a":1}\n');
    expect(await bringTo(bringing, sent(file, digest), along())).toEqual({ ...found, how: 'reused' });
  }
});

test('links count as what they lead to, folders too', async () => {
  const [folder, blobs] = [await scratch(), await model()];
  await symlink(join(blobs, 'a'), join(folder, 'linked'));
  await symlink(join(blobs, 'a.json'), join(folder, 'config.json'));
  const digest = await hashTree(folder);
  const bringing = { to: await madeUpNode('a'), shared: false, sideOf: noOther };
  const { path } = await bringTo(bringing, sent(folder, digest), along());
  expect((await stat(join(path, 'linked', 'weights.bin'))).size).toBe(3_000_000);
  expect(await hashTree(path)).toBe(digest);
});

test('what changed since it was planned is refused before anything is sent', async () => {
  const [folder, { runner, calls }] = [await model(), watched()];
  const digest = await hashTree(folder);
  await writeFile(join(folder, 'a.json'), '{"other":1}');
  const bringing = { to: await madeUpNode('a', runner), shared: false, sideOf: noOther };
  await expect(bringTo(bringing, sent(folder, digest), along())).rejects.toMatchObject({
    code: 'INPUT_CHANGED',
    message: expect.stringContaining(`not ${digest}`),
  });
  expect(calls).toEqual(['place-have']);
});

test('what was brought and was spoilt since is noticed, set aside and brought again', async () => {
  const folder = await model();
  const digest = await hashTree(folder);
  const to = await madeUpNode('a');
  const bringing = { to, shared: false, sideOf: noOther };
  const { path } = await bringTo(bringing, sent(folder, digest), along());
  await chmod(join(path, 'a.json'), 0o644);
  await writeFile(join(path, 'a.json'), '[]');
  expect(await bringTo(bringing, sent(folder, digest), along())).toMatchObject({ path, how: 'copied' });
  expect(await hashTree(path)).toBe(digest);
  expect((await readdir(join(to.root, 'store'))).some((name) => name.startsWith('.damaged-'))).toBe(true);
});

test('an output goes from the node that has it to the one that needs it, by its hash in the record', async () => {
  const [from, { runner, calls }] = [await madeUpNode('a'), watched()];
  const to = await madeUpNode('b', runner);
  const out = join(from.root, 'attempts', 'x-1', 'out');
  await mkdir(join(out, 'model'), { recursive: true });
  await writeFile(join(out, 'model', 'w.bin'), randomBytes(2_000_000));
  await writeFile(join(out, 'sft.jsonl'), 'rows\n');
  const bringing = { to, shared: false, sideOf: async () => from, patience };
  const held = (path: string, digest: string | null): Held => ({
    kind: 'output',
    node: 'a',
    attempt: 'x-1',
    path,
    digest,
  });
  const model = await bringTo(bringing, held('out/model', null), along());
  expect(model).toMatchObject({ how: 'copied', path: join(to.root, 'store', model.digest ?? '') });
  expect(await hashTree(model.path)).toBe(await hashTree(join(out, 'model')));
  expect(await bringTo({ ...bringing, sideOf: noOther }, held('out/model', model.digest), along())).toEqual({
    ...model,
    how: 'reused',
  });
  const rows = await bringTo(bringing, held('out/sft.jsonl', null), along());
  expect(rows.path).toMatch(/-file\/sft\.jsonl$/);
  await writeFile(join(out, 'sft.jsonl'), 'ROWS\n');
  await rm(rows.path);
  calls.length = 0;
  await expect(bringTo(bringing, held('out/sft.jsonl', rows.digest), along())).rejects.toMatchObject({
    code: 'INPUT_CHANGED',
    message: expect.stringMatching(/^a: attempts\/x-1\/out\/sft.jsonl has the hash/),
  });
  expect(calls).toEqual(['place-have']);
  await expect(bringTo(bringing, held('out/gone', 'f'.repeat(64)), along())).rejects.toMatchObject({
    code: 'INPUT_MISSING',
  });
  const same = { to, shared: true, sideOf: noOther };
  expect(await bringTo(same, held('out/model', 'e'.repeat(64)), along())).toEqual({
    path: `${to.root}/attempts/x-1/out/model`,
    digest: 'e'.repeat(64),
    how: 'planned',
  });
});

test('a path of the nodes is hashed there, once in its life, and held against what pins it', async () => {
  const [folder, to] = [await model(), await madeUpNode('a')];
  const held = (digest: string | null): Held => ({
    kind: 'path',
    path: folder,
    here: folder,
    digest,
    via: null,
  });
  const bringing = { to, shared: false, sideOf: noOther };
  const found = await bringTo(bringing, held(null), along());
  expect(found).toEqual({ path: folder, digest: await hashTree(folder), how: 'there' });
  const command = "find -L . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum";
  const pinned = (await execa('sh', ['-c', command], { cwd: folder })).stdout.slice(0, 64);
  expect(await bringTo(bringing, held(pinned), along())).toEqual({
    path: folder,
    digest: pinned,
    how: 'there',
  });
  await expect(bringTo(bringing, held('0'.repeat(64)), along())).rejects.toMatchObject({
    code: 'INPUT_CHANGED',
  });
  await expect(
    bringTo(bringing, { kind: 'path', path: '/no/such', here: '', digest: null, via: null }, along()),
  ).rejects.toMatchObject({ code: 'INPUT_MISSING', message: 'a: /no/such is not there' });
});

test('ten thousand small files go in one stream', async () => {
  const folder = await scratch();
  for (let d = 0; d < 100; d++) {
    await mkdir(join(folder, `d${d}`));
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => writeFile(join(folder, `d${d}`, `f${i}`), `${d}/${i}`)),
    );
  }
  const { runner, calls } = watched();
  const to = await madeUpNode('a', runner);
  const digest = await hashTree(folder);
  const found = await bringTo({ to, shared: false, sideOf: noOther }, sent(folder, digest), along());
  expect(calls.filter((call) => call === 'place-receive')).toHaveLength(1);
  expect(await hashTree(found.path)).toBe(digest);
});

test.skipIf(process.getuid?.() !== 0)('a name that is no UTF-8 is told', async () => {
  const folder = await scratch();
  await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), '1');
  const bringing = { to: await madeUpNode('a'), shared: false, sideOf: noOther };
  await expect(bringTo(bringing, sent(folder, null), along())).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringContaining('no UTF-8'),
  });
});
