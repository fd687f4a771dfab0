import { expect, it } from 'vitest';
import { type FrozenWeights, frozenBytes } from './frozen-weights.ts';
import { KNOWN_SHAPES } from './known-shapes.ts';
import { countParameters } from './model-shape.ts';
import { trainingJob } from './testing-jobs.ts';
import { estimateTrainingMemory } from './training-memory.ts';
import { GB } from './units.ts';

const job = (shape: keyof typeof KNOWN_SHAPES, frozen: FrozenWeights) =>
  trainingJob({
    shape: KNOWN_SHAPES[shape],
    gpus: 1,
    sharding: { kind: 'ddp' },
    precision: 'bf16-pure',
    tuning: { kind: 'lora', rank: 8, targets: 'all-linear', frozen },
    sequenceLength: 512,
  });
const nf4 = { kind: 'bnb', bits: 4, doubleQuant: true } as const;

it('are as wide as they are computed, unless said otherwise', () => {
  const lora = trainingJob({ tuning: { kind: 'lora', rank: 8, targets: 'all-linear' } });
  expect(frozenBytes(lora)).toBe(2);
  expect(frozenBytes({ ...lora, precision: 'fp32' })).toBe(4);
  expect(frozenBytes(job('llama-3-8b', { kind: 'plain', bytes: 4 }))).toBe(4);
});

it('of Llama 3 8B in 4 bits are 5.7 GB: 7 billion in half a byte with scales, and two embeddings in 16 bits', () => {
  const { total } = countParameters(KNOWN_SHAPES['llama-3-8b']);
  expect((total * frozenBytes(job('llama-3-8b', nf4))) / GB).toBeCloseTo(5.7, 1);
});

it('in 4 bits take less than in 8, and a scale that is not quantised takes more', () => {
  const bytes = (frozen: FrozenWeights) => frozenBytes(job('qwen2.5-32b', frozen));
  expect(bytes(nf4)).toBeLessThan(bytes({ ...nf4, doubleQuant: false }));
  expect(bytes({ ...nf4, doubleQuant: false })).toBeLessThan(bytes({ ...nf4, bits: 8 }));
  expect(bytes({ ...nf4, bits: 8 })).toBeLessThan(2);
});

it('let 33B train on one card of 24 GB, as QLoRA did (arXiv 2305.14314), which in 16 bits does not fit 48', () => {
  const peak = (one: ReturnType<typeof job>) => estimateTrainingMemory(one).peak.total / GB;
  const small = { ...job('llama-33b', nf4), fusedLoss: true, expandableSegments: true };
  expect(peak(small)).toBeLessThan(24 * 1.05);
  expect(peak({ ...small, tuning: { kind: 'lora', rank: 8, targets: 'all-linear' } })).toBeGreaterThan(48);
});
