import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { beforeAll, expect, test, vi } from 'vitest';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import type { Runner } from '../targets/runner.ts';
import { tarOf } from './archive.ts';
import { type Bundle, buildBundle } from './build.ts';
import { collectCode } from './code.ts';
import { ensureBundle } from './send.ts';
import { sendProgram } from './send-program.ts';
import { gitTree } from './testing-tree.ts';

vi.setConfig({ testTimeout: 30_000 });

let agent = '';
let bundle: Bundle;

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'her-bundle-'));

/** Counts what runs on the node. */
function counting(runner: Runner = localRunner): { runner: Runner; calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    runner: {
      ...runner,
      run: (argv, options) => {
        calls.push(argv[4] ?? '');
        return runner.run(argv, options);
      },
    },
  };
}

const bundleOf = (archive: Uint8Array, claimed = archive): Bundle => ({
  digest: createHash('sha256').update(claimed).digest('hex'),
  size: claimed.length,
  packed: gzipSync(archive),
  files: 1,
});

beforeAll(async () => {
  agent = await buildAgent(await folder());
  const tree = await gitTree();
  await tree.commit({ 'mine.py': 'answer = 42\n', [`${'deep/'.repeat(40)}ü.py`]: 'deep = 1\n' });
  bundle = await buildBundle(agent, await collectCode(tree.folder));
});

test('the same files are the same bundle; it holds what a node needs, and no tests', async () => {
  const again = await buildBundle(agent);
  expect((await buildBundle(agent)).digest).toBe(again.digest);
  expect(again.digest).not.toBe(bundle.digest);
  expect(createHash('sha256').update(gunzipSync(bundle.packed)).digest('hex')).toBe(bundle.digest);
  const listed = await execa('tar', ['-tzf', '-'], { input: bundle.packed });
  const names = listed.stdout.split('\n');
  for (const name of [
    'agent.pyz',
    'code/mine.py',
    'envs/swift/uv.lock',
    'envs/verl/vllm-name/pyproject.toml',
    'python/her_workers/verl_cpu/plugin.py',
  ])
    expect(names).toContain(name);
  expect(names.filter((name) => /test_|__pycache__/.test(name))).toEqual([]);
});

test('it is sent once, unpacked as it was, and then one question finds it', async () => {
  const root = join(await folder(), 'not', 'there');
  const { runner, calls } = counting();
  const sent = await ensureBundle(runner, root, bundle);
  expect(sent).toEqual({ folder: join(root, 'bundles', bundle.digest), reused: false });
  expect(await ensureBundle(runner, root, bundle)).toEqual({ folder: sent.folder, reused: true });
  expect(calls).toEqual(['have', 'bundle', 'have']);
  expect(await readFile(join(sent.folder, 'code', 'deep/'.repeat(40), 'ü.py'), 'utf8')).toBe('deep = 1\n');
  expect(await readdir(join(root, 'bundles'))).toEqual([bundle.digest]);
  await execa('python3', [join(sent.folder, 'agent.pyz'), '--help']);
});

test('plugins are found from PYTHONPATH, and the code of the study can be imported', async () => {
  const { folder: at } = await ensureBundle(localRunner, await folder(), bundle);
  const text = `import importlib.metadata as m, mine
print([(p.name, p.value) for g in ('verl.plugins', 'vllm.general_plugins') for p in m.entry_points(group=g) if p.value.startswith('her_')], m.version('her-workers'), mine.answer)`;
  const env = { PYTHONPATH: `${at}/python:${at}/code` };
  const { stdout } = await execa('python3', ['-c', text], { env });
  expect(stdout).toBe(
    "[('her_cpu', 'her_workers.verl_cpu.plugin'), ('her_cpu', 'her_workers.verl_cpu.vllm_plugin:register')] 0.1.0 42",
  );
});

test('many senders at once leave one bundle', async () => {
  const root = await folder();
  const sent = await Promise.all(Array.from({ length: 4 }, () => ensureBundle(localRunner, root, bundle)));
  expect(new Set(sent.map((one) => one.folder)).size).toBe(1);
  expect(await readdir(join(root, 'bundles'))).toEqual([bundle.digest]);
});

test('bytes that are damaged on the way are sent once more; bytes that stay wrong leave nothing', async () => {
  const root = await folder();
  let sends = 0;
  const flaky: Runner = {
    ...localRunner,
    run: (argv, options = {}) => {
      if (argv[4] !== 'bundle' || ++sends > 1) return localRunner.run(argv, options);
      return localRunner.run(argv, { ...options, input: bundle.packed.subarray(0, 5000) });
    },
  };
  expect((await ensureBundle(flaky, root, bundle)).reused).toBe(false);
  expect(sends).toBe(2);

  const other = await folder();
  const wrong = bundleOf(Buffer.alloc(4096), Buffer.alloc(4096, 1));
  await expect(ensureBundle(localRunner, other, wrong)).rejects.toMatchObject({ agentCode: 'damaged' });
  const long = bundleOf(Buffer.alloc(5000), Buffer.alloc(4096));
  await expect(ensureBundle(localRunner, other, long)).rejects.toMatchObject({ agentCode: 'damaged' });
  expect(await readdir(join(other, 'bundles'))).toEqual([]);
});

test('a bundle that was cut off in the middle does not count', async () => {
  const root = await folder();
  await mkdir(join(root, 'bundles', bundle.digest), { recursive: true });
  await writeFile(join(root, 'bundles', bundle.digest, 'agent.pyz'), 'torn');
  const sent = await ensureBundle(localRunner, root, bundle);
  expect(sent.reused).toBe(false);
  expect((await readFile(join(sent.folder, 'agent.pyz'))).length).toBeGreaterThan(1000);
});

test('a bundle that was changed on the node is noticed and replaced; caches of Python beside it are no matter', async () => {
  const root = await folder();
  const { folder: at } = await ensureBundle(localRunner, root, bundle);
  await mkdir(join(at, 'code', '__pycache__'));
  await writeFile(join(at, 'code', '__pycache__', 'mine.pyc'), '');
  expect((await ensureBundle(localRunner, root, bundle)).reused).toBe(true);
  await writeFile(join(at, 'code', 'mine.py'), 'answer = 41\n');
  expect((await ensureBundle(localRunner, root, bundle)).reused).toBe(false);
  expect(await readFile(join(at, 'code', 'mine.py'), 'utf8')).toBe('answer = 42\n');
  await rm(join(at, 'code', 'mine.py'));
  await symlink('/etc/hostname', join(at, 'code', 'mine.py'));
  expect((await ensureBundle(localRunner, root, bundle)).reused).toBe(false);
  expect(await readdir(join(root, 'bundles'))).toEqual([bundle.digest]);
});

test.each([
  [{ path: '../out', bytes: Buffer.from('1') }],
  [{ path: '/out', bytes: Buffer.from('1') }],
  [{ path: 'code/up', link: '../../../..' }],
])('nothing of an archive leads out of its folder: %o', async (entry) => {
  const root = await folder();
  const sending = ensureBundle(localRunner, root, bundleOf(tarOf([entry])));
  await expect(sending).rejects.toMatchObject({ agentCode: 'not-confined' });
  expect(await readdir(join(root, 'bundles'))).toEqual([]);
});

test('a folder of the root that is a link elsewhere is refused', async () => {
  const [root, elsewhere] = [await folder(), await folder()];
  await symlink(elsewhere, join(root, 'bundles'));
  await expect(ensureBundle(localRunner, root, bundle)).rejects.toMatchObject({ agentCode: 'not-confined' });
});

test('a node without that Python, and one with an old Python, is told in one line', async () => {
  const root = await folder();
  const none: Runner = {
    ...localRunner,
    run: async () => ({ exitCode: 127, stdout: '', stderr: 'sh: python3: not found' }),
  };
  await expect(ensureBundle(none, root, bundle)).rejects.toMatchObject({
    code: 'ENVIRONMENT_SETUP',
    message: 'local has no `python3` that can be run',
  });
  const reply = {
    error: { code: 'python-too-old', message: 'it is Python 3.6.15', hint: 'name a newer one' },
  };
  const old: Runner = {
    ...localRunner,
    run: async () => ({ exitCode: 1, stdout: JSON.stringify(reply), stderr: '' }),
  };
  await expect(ensureBundle(old, root, bundle)).rejects.toMatchObject({
    hint: 'name a newer one',
    exitCode: 5,
  });
});

test('a program is put into bin, and can be run', async () => {
  const [root, from] = [await folder(), await folder()];
  await writeFile(join(from, 'hi'), '#!/bin/sh\necho hi\n');
  const path = await sendProgram(localRunner, root, 'hi-1', join(from, 'hi'));
  expect(path).toBe(join(root, 'bin', 'hi-1'));
  expect((await execa(path)).stdout).toBe('hi');
});
