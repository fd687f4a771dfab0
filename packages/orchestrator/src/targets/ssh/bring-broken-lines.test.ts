import { randomBytes } from 'node:crypto';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { HerError } from '../../errors.ts';
import { hashTree } from '../../hash-tree.ts';
import { madeUpNode, watched } from '../../place/testing.ts';
import { localRunner } from '../local/local-runner.ts';
import type { Runner } from '../runner.ts';
import { bringTo } from './bring.ts';
import { along, model, noOther, patience, sent } from './testing-bring.ts';

// Each call of the agent is a process.
vi.setConfig({ testTimeout: 240_000 });

test('a file that becomes shorter, or other, while it is sent is told as changed, and nothing of it counts', async () => {
  for (const spoil of [
    (at: string) => truncate(at, 1000),
    (at: string) => writeFile(at, randomBytes(3_000_000)),
  ]) {
    const folder = await model();
    const digest = await hashTree(folder);
    const spoiling: Runner = {
      ...localRunner,
      run: async (argv, options) => {
        if (argv[2] === 'place-receive') await spoil(join(folder, 'a', 'weights.bin'));
        return localRunner.run(argv, options);
      },
    };
    const to = await madeUpNode('a', spoiling);
    const bringing = { to, shared: false, sideOf: noOther, patience };
    await expect(bringTo(bringing, sent(folder, digest), along())).rejects.toMatchObject({
      code: 'INPUT_CHANGED',
    });
    expect(await readdir(join(to.root, 'store'))).not.toContain(digest);
  }
});

test('a line that breaks in the middle is gone on from there: nothing that arrived is sent again', async () => {
  const folder = await model();
  await writeFile(join(folder, 'a', 'weights.bin'), randomBytes(12_000_000));
  const digest = await hashTree(folder);
  const { runner, sent: bytes } = watched();
  let breaks = 0;
  const breaking: Runner = {
    ...runner,
    run: async (argv, options = {}) => {
      const { input } = options;
      if (
        argv[2] !== 'place-receive' ||
        typeof input !== 'object' ||
        input instanceof Uint8Array ||
        breaks === 2
      )
        return runner.run(argv, options);
      breaks += 1;
      await runner.run(argv, { ...options, input: firstBytes(input, 5_000_000) });
      throw new HerError('AGENT_UNREACHABLE', 'the line is cut');
    },
  };
  const { lines, ...walk } = along();
  const to = await madeUpNode('a', breaking);
  const { path } = await bringTo(
    { to, shared: false, sideOf: noOther, patience },
    sent(folder, digest),
    walk,
  );
  expect(await hashTree(path)).toBe(digest);
  expect(breaks).toBe(2);
  // At most two pieces of a stream of 1 MB each are lost with a line.
  expect(bytes.bytes).toBeLessThan(12_000_000 + 2 * 2_200_000);
  expect(lines.filter((line) => line.includes('broke'))).toHaveLength(1);
});

async function* firstBytes(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, most - count);
    count += part.length;
    if (part.length > 0) yield part;
    if (count >= most) return;
  }
}

test('a line that stays cut is given up, as not reached', async () => {
  const cut: Runner = {
    ...localRunner,
    run: async (argv, options) => {
      if (argv[2] === 'place-have') return localRunner.run(argv, options);
      throw new HerError('AGENT_UNREACHABLE', 'the line is cut');
    },
  };
  const folder = await model();
  const bringing = {
    to: await madeUpNode('a', cut),
    shared: false,
    sideOf: noOther,
    patience: { pause: 10, most: 100 },
  };
  await expect(bringTo(bringing, sent(folder, await hashTree(folder)), along())).rejects.toMatchObject({
    code: 'AGENT_UNREACHABLE',
  });
});

test('two jobs, and two programs, that need the same at once bring it once', async () => {
  const folder = await model();
  const digest = await hashTree(folder);
  const { runner, calls } = watched();
  const to = await madeUpNode('a', runner);
  const bringing = { to, shared: false, sideOf: noOther, patience };
  const both = await Promise.all([1, 2].map(() => bringTo(bringing, sent(folder, digest), along())));
  expect(both.map(({ how }) => how).toSorted()).toEqual(['copied', 'reused']);
  expect(calls.filter((call) => call === 'place-receive')).toHaveLength(1);

  const other = await madeUpNode('b');
  const others = ['b', 'c'].map((name) => ({
    to: { ...other, name },
    shared: true,
    sideOf: noOther,
    patience,
  }));
  const found = await Promise.all(others.map((one) => bringTo(one, sent(folder, digest), along())));
  expect(new Set(found.map(({ path }) => path)).size).toBe(1);
  expect(await hashTree(found[0]?.path ?? '')).toBe(digest);
});
