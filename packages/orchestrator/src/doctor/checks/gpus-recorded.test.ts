import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { installation } from '../../home.ts';
import { type ProbeReply, probeReply } from '../probe-reply.ts';
import { facts, needs, node, said, swiftNeed } from '../testing.ts';
import { driverCheck, eccCheck, gpusCheck, gpuUseCheck } from './gpus.ts';

/** What the tools of GPU makers printed on real machines, as the agent reads it. */
const python = join(installation, 'workers', 'python');
const reader = `
import json, pathlib, sys
from her_agent import probe_nvidia, probe_rocm
found = {}
for path in pathlib.Path(sys.argv[1]).iterdir():
    if path.suffix in (".xml", ".json"):
        read = probe_nvidia.from_xml if path.suffix == ".xml" else probe_rocm.from_json
        tool = "nvidia-smi" if path.suffix == ".xml" else "rocm-smi"
        found[path.name] = {"tool": tool, "problem": None, **read(path.read_text())}
print(json.dumps(found))
`;
let recorded: Record<string, unknown> = {};

beforeAll(() => {
  const out = execFileSync('python3', ['-B', '-c', reader, join(python, 'tests', 'gpu-tools')], {
    env: { ...process.env, PYTHONPATH: join(python, 'src') },
    encoding: 'utf8',
  });
  recorded = z.record(z.string(), z.unknown()).parse(JSON.parse(out));
});

function from(file: string) {
  return node(probeReply.parse(facts({ gpus: { ok: recorded[file] } as ProbeReply['gpus'] })));
}

const one = (kind: string | null, memoryGb: number) => needs({ gpus: { perNode: 1, kind, memoryGb } });

test('every recorded answer is one that this side reads', () => {
  expect(Object.keys(recorded).length).toBeGreaterThanOrEqual(7);
  for (const file of Object.keys(recorded))
    expect(said(gpusCheck, from(file), one(null, 0))[1]).toMatch(/^\d × /);
});

test('a T4 on which somebody works: its use fails, and the screen on it is not named', () => {
  const node = from('nvidia-515-v11-t4.xml');
  expect(said(gpusCheck, node, one(null, 16))).toEqual(['ok', '1 × Tesla T4']);
  expect(said(driverCheck, node, one(null, 16))).toEqual(['ok', '515.105.01, CUDA 11.7']);
  expect(said(gpuUseCheck, node, one(null, 16))).toEqual([
    'fail',
    'GPU 0: 13.6 GiB free of 15 GiB, python (pid 5762, 0.981 GiB)',
  ]);
  expect(said(eccCheck, node, one(null, 16))).toEqual(['ok', 'no errors']);
});

test('the driver of that T4 is too old for a torch of CUDA 13, and it has too little for a study of 80 GB', () => {
  const t4 = from('nvidia-515-v11-t4.xml');
  const versions = { torch: '2.11.0+cu130' };
  t4.facts.environments = { swift: { ok: { path: '/e', exists: true, python: true, versions } } };
  const want = { ...one('H100-80', 80), environments: [swiftNeed()] };
  expect(said(driverCheck, t4, want)).toEqual([
    'fail',
    '515.105.01, CUDA 11.7; torch of the environment is built for CUDA 13',
  ]);
  expect(said(gpusCheck, t4, want)).toEqual([
    'fail',
    '1 × Tesla T4 with 15 GiB each; the plan counts on 80 GB',
  ]);
});

test('an A100 that is cut into slices fails, though kind and memory are right; eight of it are missed', () => {
  const a100 = from('nvidia-535-v12-a100-mig.xml');
  expect(said(gpusCheck, a100, one('A100-80', 80))[1]).toContain('cut into MIG slices');
  const eight = needs({ gpus: { perNode: 8, kind: 'A100-80', memoryGb: 80 } });
  expect(said(gpusCheck, a100, eight)).toEqual(['fail', '1 of 8: as nvidia-smi lists them']);
});

test('a virtual card that tells little fails by what it tells', () => {
  const card = from('nvidia-513-v11-vgpu.xml');
  expect(said(gpuUseCheck, card, one(null, 0))).toEqual([
    'fail',
    'GPU 0: 0.104 GiB free of 1 GiB, a process (pid 1188)',
  ]);
  expect(said(eccCheck, card, one(null, 0))).toEqual(['ok', 'not told by these GPUs']);
});

test('a card of another kind is told, whoever works on it fails', () => {
  const card = from('nvidia-590-v13-pro-6000.xml');
  expect(said(gpusCheck, card, one('H20-96', 96))[0]).toBe('warn');
  expect(said(gpuUseCheck, card, one('H20-96', 96))[1]).toContain('llama-server (pid 116860, 64.2 GiB)');
});

test('cards of AMD: two idle ones pass, with the version of their driver', () => {
  const two = from('rocm-6.0-mi100.json');
  const want = needs({ gpus: { perNode: 2, kind: null, memoryGb: 32 } });
  expect(said(gpusCheck, two, want)).toEqual(['ok', '2 × Arcturus GL-XL [Instinct MI100]']);
  expect(said(driverCheck, two, want)).toEqual(['ok', '6.3.6']);
  expect(said(gpuUseCheck, two, want)).toEqual(['ok', '2 idle']);
  expect(said(eccCheck, two, want)).toEqual(['ok', 'not told by these GPUs']);
});
