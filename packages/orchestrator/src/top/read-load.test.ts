import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../home.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import { loadScript } from './load-script.ts';
import { readNvidia, readRocm } from './read-gpus.ts';
import { readLoad } from './read-load.ts';

test.skipIf(process.platform !== 'linux')('this machine tells its load, memory and disk', async () => {
  const { stdout } = await localRunner.run(['sh', '-c', loadScript, 'sh', '/not/there/yet']);
  const load = readLoad(stdout);
  expect(load).toMatchObject({ load: expect.any(Number), cores: expect.any(Number) });
  expect(load?.memory?.usedBytes).toBeGreaterThan(0);
  expect(load?.diskFreeBytes).toBeGreaterThan(0);
});

test('an answer that breaks off is none; odd words in it are left out', () => {
  expect(readLoad('== load\n0.10 0.2 0.3 1/2 3\n')).toBe(null);
  expect(
    readLoad('welcome\n== load\nhigh\n== cores\n8\n== memory\nMemTotal: lots\n== disk\n== end\n'),
  ).toEqual({
    load: null,
    cores: 8,
    memory: null,
    diskFreeBytes: null,
    gpus: [],
    gpuTool: null,
    gpuProblem: null,
  });
  const disk = 'server:/some path 1000 500 400 56% /mnt\n';
  expect(readLoad(`== disk\n${disk}== end\n`)?.diskFreeBytes).toBe(400 * 1024);
});

test('lines of nvidia-smi, with what a card does not tell', () => {
  const lines = [
    '0, NVIDIA H100 80GB HBM3, 97 %, 71230 MiB, 81559 MiB, 64',
    '1, GRID P4-1Q, [N/A], 0 MiB, 1024 MiB, [N/A]',
  ];
  expect(readNvidia(`${lines.join('\n')}\n`)).toEqual([
    {
      index: 0,
      name: 'NVIDIA H100 80GB HBM3',
      use: 97,
      usedBytes: 71230 * 2 ** 20,
      totalBytes: 81559 * 2 ** 20,
      celsius: 64,
    },
    { index: 1, name: 'GRID P4-1Q', use: null, usedBytes: 0, totalBytes: 2 ** 30, celsius: null },
  ]);
  const failed = 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.\n';
  expect(readLoad(`== nvidia\n${failed}== end\n`)).toMatchObject({
    gpuTool: 'nvidia-smi',
    gpuProblem: failed.trim(),
  });
  expect(readLoad('== nvidia\n== end\n')?.gpuProblem).toBe('it said nothing in time');
});

test('recorded outputs of rocm-smi, and the keys for use and heat', async () => {
  const folder = join(installation, 'workers', 'python', 'tests', 'gpu-tools');
  for (const [file, name] of [
    ['rocm-5.9-mi50.json', 'Radeon Instinct MI50 32GB'],
    ['rocm-6.1-rx6700xt.json', 'Navi 22 [Radeon RX 6700/6700 XT / 6800M]'],
  ] as const) {
    const [gpu] = readRocm(await readFile(join(folder, file), 'utf8'));
    expect(gpu).toMatchObject({
      index: 0,
      name,
      usedBytes: expect.any(Number),
      totalBytes: expect.any(Number),
    });
  }
  const text =
    'WARNING: low power\n{"card1": {"GPU use (%)": "98", "Temperature (Sensor edge) (C)": "61.0"}, "system": {}}';
  expect(readRocm(text)).toMatchObject([{ index: 1, use: 98, celsius: 61, name: null }]);
  expect(readRocm('no json')).toEqual([]);
});
