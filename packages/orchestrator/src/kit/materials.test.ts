import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { render } from '../commands/render.ts';

const study = (target: string): string => `her: 1
name: own
seeds: [1]
trainers: { verl: 0.9.1 }
target: ${target}
models: { base: { path: base, type: qwen3, template: qwen3_nothinking } }
data: { prompts: { path: prompts.parquet, rows: 64 } }
stages:
  rl:
    kind: rl
    algorithm: grpo
    model: base
    prompts: prompts
    reward: { file: "mine.py:score" }
    steps: 4
    batch: { prompts: 16, samples: 8, mini: 8, micro_per_device: 1 }
    length: { prompt: 128, response: 64 }
    save_every: 2
`;
const nodes = '{ kind: ssh, hosts: [n0], gpus: { per_node: 8, memory_gb: 80 }, cores: 96, memory_gb: 2000 }';
const here = '{ kind: local, device: cpu, cores: 2, memory_gb: 12 }';

async function folderWith(target: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'her-materials-'));
  await mkdir(join(folder, 'base'));
  await writeFile(join(folder, 'prompts.parquet'), '');
  await writeFile(join(folder, 'own.yaml'), study(target));
  return folder;
}

async function rendered(folder: string): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await render(join(folder, 'own.yaml'), { out: join(folder, 'kit'), json: true });
    return join(folder, 'kit');
  } finally {
    write.mockRestore();
  }
}

test.each([nodes, here])(
  'a reward function is copied byte for byte, with its own hash: %s',
  async (target) => {
    const folder = await folderWith(target);
    const source = Buffer.from('# -*- coding: latin-1 -*-\n# caf\xe9\r\ndef score(): return 1\n', 'latin1');
    await writeFile(join(folder, 'mine.py'), source);
    const kit = await rendered(folder);
    const copy = await readFile(join(kit, 'jobs/rl-1/reward/mine.py'));
    expect(copy.equals(source)).toBe(true);
    const { files } = JSON.parse(await readFile(join(kit, 'kit.json'), 'utf8'));
    expect(files['jobs/rl-1/reward/mine.py']).toBe(createHash('sha256').update(source).digest('hex'));
  },
);

test('a reward function that is not here, a folder or a pipe is refused, wherever the study runs', async () => {
  const folder = await folderWith(nodes);
  await expect(rendered(folder)).rejects.toMatchObject({
    message: expect.stringContaining('no such file or folder: mine.py'),
  });
  await mkdir(join(folder, 'mine.py'));
  const refused = { code: 'INPUT_UNREADABLE', message: expect.stringContaining('it is a folder') };
  await expect(rendered(folder)).rejects.toMatchObject(refused);
  const other = await folderWith(nodes);
  execFileSync('mkfifo', [join(other, 'mine.py')]);
  await expect(rendered(other)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
});
