import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES, type KnownModel } from './known-shapes.ts';
import { countParameters } from './model-shape.ts';
import { stateBytes } from './model-states.ts';
import { optimizerNamed } from './optimizers.ts';
import { sumOf } from './term.ts';
import { megatron, trainingJob } from './testing-jobs.ts';
import type { Sharding, TrainingJob } from './training-job.ts';
import { estimateTrainingMemory } from './training-memory.ts';

const peak = (job: TrainingJob): number => estimateTrainingMemory(job).peak.total;
const termsOf = (job: TrainingJob, at: string): Record<string, number> => {
  const found = estimateTrainingMemory(job).moments.find((one) => one.name === at);
  return Object.fromEntries(found?.terms.map((one) => [one.name, one.bytes]) ?? []);
};

const shardings: Sharding[] = [
  { kind: 'ddp' },
  { kind: 'zero1' },
  { kind: 'zero2' },
  { kind: 'zero3' },
  { kind: 'fsdp' },
  { kind: 'fsdp2' },
  megatron(1),
  megatron(2),
  megatron(2, { pp: 2 }),
  { kind: 'megatron', tp: 4, sequenceParallel: false, distributedOptimizer: false },
];

const optimizers = ['sgd', 'adafactor', 'adamw_8bit', 'lion_32bit'].flatMap((name) => {
  const found = optimizerNamed(name, { flat: false, momentum: false });
  return found === undefined ? [] : [found];
});

const anyJob: fc.Arbitrary<TrainingJob> = fc
  .record({
    model: fc.constantFrom(...(Object.keys(KNOWN_SHAPES) as KnownModel[])),
    nodes: fc.integer({ min: 1, max: 16 }),
    sharding: fc.constantFrom(...shardings),
    offload: fc.constantFrom('none', 'optimizer', 'all'),
    precision: fc.constantFrom('bf16-mixed', 'bf16-pure', 'fp32'),
    tuning: fc.constantFrom<TrainingJob['tuning']>(
      { kind: 'full' },
      { kind: 'lora', rank: 16, targets: 'all-linear' },
      { kind: 'lora', rank: 8, targets: ['q', 'v'] },
      { kind: 'lora', rank: 8, targets: 'all-linear', frozen: { kind: 'plain', bytes: 4 } },
      { kind: 'lora', rank: 8, targets: 'all-linear', frozen: { kind: 'bnb', bits: 4, doubleQuant: true } },
    ),
    microBatch: fc.integer({ min: 1, max: 16 }),
    sequenceLength: fc.integer({ min: 16, max: 131_072 }),
    sequenceParallel: fc.constantFrom(1, 2, 8),
    accumulation: fc.constantFrom(1, 4),
    checkpointing: fc.boolean(),
    attention: fc.constantFrom('flash', 'eager'),
    fusedLoss: fc.boolean(),
    adam: fc.constantFrom('foreach', 'fused'),
    expandableSegments: fc.boolean(),
    wholeModelAtStart: fc.boolean(),
    wholeEntropy: fc.boolean(),
    more: fc.constantFrom<Partial<TrainingJob>>(
      {},
      { reference: { bytesPerParameter: 2 } },
      { valueHead: true },
      ...optimizers.map((optimizer) => ({ optimizer })),
    ),
  } as const)
  .map(({ model, nodes, more, ...job }) => ({
    ...job,
    ...more,
    shape: KNOWN_SHAPES[model],
    gpus: 8 * nodes,
    gpusPerNode: 8,
  }));

describe('for any job', () => {
  it('every term is a number of bytes with a reason, and they add up', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        const { moments, peak: worst, hostPerNode } = estimateTrainingMemory(job);
        for (const { terms, total } of [...moments, hostPerNode]) {
          expect(total).toBe(sumOf(terms));
          for (const { bytes, why } of terms) {
            expect(Number.isFinite(bytes) && bytes >= 0).toBe(true);
            expect(why).not.toBe('');
          }
        }
        expect(worst.total).toBe(Math.max(...moments.map((one) => one.total)));
      }),
    );
  });

  it('longer rows and more of them need more', () => {
    fc.assert(
      fc.property(anyJob, fc.integer({ min: 1, max: 4096 }), (job, more) => {
        const at = (one: TrainingJob): number => termsTotal(one, 'loss');
        expect(at({ ...job, sequenceLength: job.sequenceLength + more })).toBeGreaterThan(at(job));
        expect(at({ ...job, microBatch: job.microBatch + more })).toBeGreaterThan(at(job));
        expect(peak({ ...job, sequenceLength: job.sequenceLength + more })).toBeGreaterThanOrEqual(peak(job));
        expect(peak({ ...job, microBatch: job.microBatch + more })).toBeGreaterThanOrEqual(peak(job));
      }),
    );
  });

  it('more GPUs never need more of each', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        expect(peak({ ...job, gpus: 2 * job.gpus })).toBeLessThanOrEqual(peak(job));
      }),
    );
  });

  it('each saving saves or does nothing', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        const saved: Partial<TrainingJob>[] = [
          { checkpointing: true },
          { fusedLoss: true },
          { attention: 'flash' },
          { adam: 'fused' },
          { expandableSegments: true },
          { wholeModelAtStart: false },
        ];
        for (const change of saved) expect(peak({ ...job, ...change })).toBeLessThanOrEqual(peak(job));
        const [none, optimizer, all] = (['none', 'optimizer', 'all'] as const).map((offload) =>
          peak({ ...job, offload }),
        );
        expect(optimizer).toBeLessThanOrEqual(none as number);
        expect(all).toBeLessThanOrEqual(optimizer as number);
      }),
    );
  });
});

function termsTotal(job: TrainingJob, at: string): number {
  return estimateTrainingMemory(job).moments.find((one) => one.name === at)?.total ?? Number.NaN;
}

describe('the states of Qwen2.5-32B on 8 GPUs', () => {
  const { total } = countParameters(trainingJob().shape);

  it('are 16 bytes a parameter with ZeRO-3 and FSDP, 18 with Megatron', () => {
    const sum = (sharding: Sharding): number =>
      Object.values(stateBytes(trainingJob({ sharding }))).reduce((a, b) => a + b);
    expect(sum({ kind: 'zero3' })).toBe(16);
    expect(sum({ kind: 'fsdp' })).toBe(16);
    expect(sum(megatron(8))).toBe(18);
  });

  it('are split by ZeRO stage', () => {
    const at = (kind: 'zero1' | 'zero2' | 'zero3') => termsOf(trainingJob({ sharding: { kind } }), 'step');
    expect(at('zero1')).toMatchObject({ weights: 2 * total, gradients: 2 * total, optimizer: 1.5 * total });
    expect(at('zero2')).toMatchObject({ weights: 2 * total, gradients: total / 4, optimizer: 1.5 * total });
    expect(at('zero3')).toMatchObject({ weights: total / 4, gradients: total / 4, optimizer: 1.5 * total });
    expect(at('zero3')['step copy']).toBe(6e9);
  });

  it('torch makes gradients late when each step is one pass', () => {
    const job = trainingJob({ sharding: { kind: 'fsdp' } });
    expect(termsOf(job, 'loss')['gradients']).toBeUndefined();
    expect(termsOf({ ...job, accumulation: 2 }, 'loss')['gradients']).toBe(total / 2);
    expect(termsOf(job, 'backward end')['gradients']).toBe(total / 2);
  });

  it('of experts are split by expert parallelism, their optimizer by the replicas of an expert', () => {
    const shape = KNOWN_SHAPES['qwen3-30b-a3b'];
    const { expertsPerLayer, total: all } = countParameters(shape);
    const routed = 48 * expertsPerLayer;
    const terms = termsOf(trainingJob({ shape, gpus: 32, sharding: megatron(1, { ep: 8 }) }), 'step');
    expect(terms['weights']).toBe(2 * (all - routed + routed / 8));
    expect(terms['optimizer']).toBe(12 * ((all - routed) / 32 + routed / 8 / 4));
  });

  it('of LoRA are the frozen weights and little else', () => {
    const job = trainingJob({ tuning: { kind: 'lora', rank: 16, targets: ['q', 'v'] } });
    const adapters = 64 * 16 * (5120 + 5120 + 5120 + 1024);
    expect(termsOf(job, 'loss')).toMatchObject({
      'frozen weights': total / 4,
      optimizer: (12 * adapters) / 8,
    });
  });
});

describe('activations of Qwen2.5-32B', () => {
  it('are one input a layer with checkpointing, split by sequence parallelism', () => {
    expect(termsOf(trainingJob(), 'loss')['activations']).toBe(2 * 8192 * 5120 * 64);
    expect(termsOf(trainingJob({ sequenceParallel: 4 }), 'loss')['activations']).toBe(2 * 2048 * 5120 * 64);
    expect(termsOf(trainingJob({ sharding: megatron(8) }), 'loss')['activations']).toBe(2 * 1024 * 5120 * 64);
  });

  it('grow with the square of the length only in eager attention', () => {
    const at = (attention: 'eager' | 'flash', sequenceLength: number): number =>
      termsOf(trainingJob({ attention, sequenceLength }), 'backward')['recompute'] ?? 0;
    expect(at('flash', 8192) / at('flash', 4096)).toBe(2);
    expect(at('eager', 8192) / at('eager', 4096)).toBeGreaterThan(3);
  });

  it('logits take 10 bytes each, and next to nothing when the loss is fused', () => {
    expect(termsOf(trainingJob({ fusedLoss: false }), 'loss')['logits']).toBe(10 * 8192 * 152_064);
    expect(termsOf(trainingJob(), 'loss')['logits']).toBe(10 * 8192 * 5120);
  });
});
