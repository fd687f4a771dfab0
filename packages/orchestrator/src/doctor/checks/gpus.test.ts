import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gib, gpu, needs, node, noGpus, nvidia, said, swiftNeed } from '../testing.ts';
import { driverCheck, eccCheck, gpusCheck, gpuUseCheck, isKind } from './gpus.ts';

const mib = 2 ** 20;
const eight = Array.from({ length: 8 }, (_, index) => gpu({ index, uuid: `GPU-${index}` }));
const want = needs({ gpus: { perNode: 8, kind: 'H100-80', memoryGb: 80 } });
const h100 = '8 × NVIDIA H100 80GB HBM3';

const on = (gpus: Parameters<typeof nvidia>[0], over?: Parameters<typeof nvidia>[1]) =>
  node({ gpus: nvidia(gpus, over) });
const each = (over: Parameters<typeof gpu>[0]) => on(eight.map((one) => ({ ...one, ...over })));

test('as many GPUs as a job takes, of the kind that the target says, pass', () => {
  expect(said(gpusCheck, on(eight), want)).toEqual(['ok', h100]);
  expect(said(gpusCheck, on([...eight, gpu({ index: 8 })]), want)[0]).toBe('ok');
});

test('too few fail, with what the tool says of it', () => {
  expect(said(gpusCheck, on(eight.slice(1)), want)).toEqual(['fail', '7 of 8: as nvidia-smi lists them']);
  const lost = 'Unable to determine the device handle for GPU1: 0000:3B:00.0: Unknown Error';
  expect(said(gpusCheck, on(eight.slice(1), { problem: lost }), want)).toEqual(['fail', `7 of 8: ${lost}`]);
});

test('none at all fails, and the remedy is the driver where its tool is missing', () => {
  const [bare] = gpusCheck.of(node({ gpus: noGpus }), want);
  expect(bare).toMatchObject({
    status: 'fail',
    what: 'none of 8: neither nvidia-smi nor rocm-smi is there',
    remedy: expect.stringContaining('Install the driver'),
  });
  const half = '/dev/nvidia0 is there, and nvidia-smi is not';
  expect(said(gpusCheck, on([], { tool: null, driver: null, problem: half }), want)[1]).toContain(half);
});

test('less memory than the plan counts on fails; what a maker calls GB and keeps for itself does not', () => {
  expect(said(gpusCheck, each({ totalBytes: 40960 * mib }), want)).toEqual([
    'fail',
    `${h100} with 40 GiB each; the plan counts on 80 GB`,
  ]);
  const one = [...eight.slice(1), gpu({ totalBytes: 40960 * mib })];
  expect(said(gpusCheck, on(one), want)[0]).toBe('fail');
  const sold = { 40: 40960, 48: 46068, 80: 81559, 96: 97871, 141: 143771, 180: 183359, 192: 196592 };
  for (const [memoryGb, size] of Object.entries(sold)) {
    const gpus = { perNode: 8, kind: null, memoryGb: Number(memoryGb) };
    expect(said(gpusCheck, each({ totalBytes: size * mib }), needs({ gpus }))[0]).toBe('ok');
  }
});

test('memory that cards do not tell is unknown where the plan counts on some, not too little', () => {
  const silent = each({ totalBytes: null, freeBytes: null, usedBytes: null });
  expect(said(gpusCheck, silent, want)[0]).toBe('unknown');
  const any = needs({ gpus: { perNode: 8, kind: null, memoryGb: 0 } });
  expect(said(gpusCheck, silent, any)).toEqual(['ok', h100]);
});

test('another kind with as much memory is told', () => {
  expect(said(gpusCheck, each({ name: 'NVIDIA A100-SXM4-80GB' }), want)).toEqual([
    'warn',
    '8 × NVIDIA A100-SXM4-80GB; the target says H100-80',
  ]);
  expect(said(gpusCheck, each({ name: null }), want)[0]).toBe('warn');
});

test('cards cut into MIG slices fail, also where their kind is another or the target names none', () => {
  for (const over of [{}, { name: 'NVIDIA A100-SXM4-80GB' }])
    expect(said(gpusCheck, each({ ...over, mig: true }), want)).toEqual([
      'fail',
      expect.stringContaining('cut into MIG slices'),
    ]);
  const any = needs({ gpus: { perNode: 8, kind: null, memoryGb: 0 } });
  expect(said(gpusCheck, on([...eight.slice(1), gpu({ mig: true })]), any)[0]).toBe('fail');
});

test('without `gpus` a node may have some or none, and which is said', () => {
  const cell = (reply: ReturnType<typeof node>, asked = needs()) => gpusCheck.of(reply, asked)[0]?.cell;
  expect(cell(node())).toBe('CPU only');
  expect(cell(on(eight))).toBe('not used');
  const idle = needs({ gpus: { perNode: 0, kind: null, memoryGb: 0 } });
  expect(said(gpusCheck, node(), idle)).toEqual(['ok', '0, not used: no job takes any']);
  for (const check of [driverCheck, gpuUseCheck, eccCheck]) {
    expect([check.needed(needs()), check.needed(idle), check.needed(want)]).toEqual([false, false, true]);
  }
});

test.each([gpusCheck, driverCheck, gpuUseCheck, eccCheck])(
  '$name cannot be known while the tool hangs',
  (check) => {
    expect(said(check, node({ gpus: { late: 36 } }), want)).toEqual([
      'unknown',
      expect.stringMatching(/36 s/),
    ]);
  },
);

test('a driver passes with its version', () => {
  expect(said(driverCheck, on(eight), want)).toEqual(['ok', '580.65.06, CUDA 13.0']);
  expect(said(driverCheck, on(eight, { cuda: null }), want)).toEqual(['ok', '580.65.06']);
});

test('a driver that is not loaded, or whose tool fails, is a failure; one that is not told is not', () => {
  expect(said(driverCheck, node({ gpus: noGpus }), want)).toEqual(['fail', 'no driver is loaded']);
  const mismatch = 'Failed to initialize NVML: Driver/library version mismatch';
  const broken = on([], { problem: mismatch, driver: null, cuda: null });
  expect(said(driverCheck, broken, want)).toEqual(['fail', mismatch]);
  expect(driverCheck.of(broken, want)[0]?.remedy).toContain('reload the driver');
  expect(said(driverCheck, on(eight, { driver: null }), want)[0]).toBe('unknown');
});

test.each([
  [{ torch: '2.11.0+cu130' }, 13],
  [{ torch: '2.11.0+cu128' }, 12],
  [{ torch: '2.11.0', 'nvidia-cuda-runtime-cu12': '12.8.90' }, 12],
  [{ torch: '2.11.0', 'nvidia-cuda-runtime': '13.0.48' }, 13],
  [{ torch: '2.11.0+cpu' }, null],
  [{}, null],
])('a driver older than the CUDA of the environment fails: %j is for %s', (versions, built) => {
  const environments = { swift: { ok: { path: '/e', exists: true, python: true, versions } } };
  const old = node({ gpus: nvidia(eight, { driver: '535.54.03', cuda: '12.2' }), environments });
  const [status, what] = said(driverCheck, old, { ...want, environments: [swiftNeed()] });
  expect(status).toBe(built === 13 ? 'fail' : 'ok');
  if (built === 13) expect(what).toContain('built for CUDA 13');
});

test('work of others that holds memory fails, and says whose it is', () => {
  const processes = [{ pid: 4711, name: 'python', graphics: false, bytes: 60 * gib, user: 'bob' }];
  const busy = [gpu({ processes, usedBytes: 60 * gib, freeBytes: 19 * gib }), ...eight.slice(1)];
  expect(said(gpuUseCheck, on(busy), want)).toEqual([
    'fail',
    'GPU 0: 19 GiB free of 79.6 GiB, python (bob, pid 4711, 60 GiB)',
  ]);
});

test('work of others that holds next to nothing is told; a screen is not', () => {
  const process = { pid: 1, name: '', graphics: false, bytes: null };
  const small = on([gpu({ processes: [process], usedBytes: gib, freeBytes: 78 * gib })]);
  expect(said(gpuUseCheck, small, want)).toEqual(['warn', expect.stringContaining('a process (pid 1)')]);
  const nameless = on([gpu({ processes: [{ ...process, pid: null, bytes: gib }], usedBytes: gib })]);
  expect(said(gpuUseCheck, nameless, want)[1]).toMatch(/a process \(1 GiB\)$/);
  const bare = on([gpu({ processes: [{ ...process, pid: null }] })]);
  expect(said(gpuUseCheck, bare, want)[1]).toMatch(/, a process$/);
  const screen = on([gpu({ processes: [{ ...process, graphics: true, bytes: 22 * mib }] })]);
  expect(said(gpuUseCheck, screen, want)).toEqual(['ok', '1 idle']);
});

test('memory that nobody is seen to hold fails too', () => {
  const leaked = on([gpu({ usedBytes: 40 * gib, freeBytes: 39 * gib })]);
  expect(said(gpuUseCheck, leaked, want)).toEqual([
    'fail',
    expect.stringContaining('nobody that can be seen'),
  ]);
});

test('a card that does not tell its memory is not taken for full', () => {
  expect(said(gpuUseCheck, on([gpu({ totalBytes: null, usedBytes: gib })]), want)).toEqual(['ok', '1 idle']);
  expect(said(gpuUseCheck, on([gpu({ totalBytes: 0, usedBytes: 0 })]), want)).toEqual(['ok', '1 idle']);
});

test('errors of memory: those that nothing corrected fail, a pending mending is told, a failed one fails', () => {
  expect(said(eccCheck, on(eight), want)).toEqual(['ok', 'no errors']);
  expect(said(eccCheck, each({ uncorrectedErrors: null }), want)).toEqual(['ok', 'not told by these GPUs']);
  expect(said(eccCheck, on([gpu({ index: 3, uncorrectedErrors: 2 })]), want)).toEqual([
    'fail',
    'GPU 3: 2 uncorrected errors of memory since the driver was loaded',
  ]);
  expect(said(eccCheck, on([gpu({ remapPending: true })]), want)[0]).toBe('warn');
  expect(said(eccCheck, on([gpu({ remapFailed: true, remapPending: true })]), want)[0]).toBe('fail');
  expect(eccCheck.of(each({ uncorrectedErrors: 1 }), want)).toHaveLength(8);
});

test.each([
  ['NVIDIA H100 80GB HBM3', 'H100-80', true],
  ['NVIDIA A100-SXM4-40GB', 'A100-40', true],
  ['NVIDIA GeForce RTX 4090', 'RTX4090-24', true],
  ['AMD Instinct MI300X OAM', 'MI300X-192', true],
  ['NVIDIA H200', 'H20-96', false],
  ['NVIDIA L40', 'L40S-48', false],
  ['NVIDIA A800-SXM4-80GB', 'A100-80', false],
])('%s is a %s: %s', (name, kind, same) => {
  expect(isKind(name, kind)).toBe(same);
});

test('a name never matches by a part of a word', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z0-9]{1,4}$/), fc.stringMatching(/^[A-Z0-9]{2,6}$/), (more, model) => {
      expect(isKind(`NVIDIA ${model}`, `${model}-80`)).toBe(true);
      expect(isKind(`NVIDIA${model}${more}`, `${model}-80`)).toBe(false);
    }),
  );
});
