import { expect, it } from 'vitest';
import { KNOWN_SHAPES } from './known-shapes.ts';
import { countParameters } from './model-shape.ts';
import { stateBytes } from './model-states.ts';
import { type Optimizer, optimizerNamed } from './optimizers.ts';
import { trainingRemedies } from './remedies.ts';
import { sumOf } from './term.ts';
import { judgeTraining, trainingJob } from './testing-jobs.ts';
import { estimateTrainingMemory } from './training-memory.ts';

const named = (name: string, flat = false): Optimizer => {
  const found = optimizerNamed(name, { flat, momentum: false });
  if (found === undefined) throw new Error(name);
  return found;
};
const shape = KNOWN_SHAPES['qwen2.5-7b'];
const { total, embedding } = countParameters(shape);
const ddp = (name: string) =>
  trainingJob({ shape, sharding: { kind: 'ddp' }, precision: 'bf16-pure', optimizer: named(name) });

it('AdamW named is AdamW left out', () => {
  for (const kind of ['ddp', 'zero2', 'zero3', 'fsdp2'] as const) {
    const job = trainingJob({ sharding: { kind } });
    expect(stateBytes({ ...job, optimizer: named('adamw_torch') })).toEqual(stateBytes(job));
  }
});

// bitsandbytes: one byte a state and a 32-bit scale for each 256; the embedding in 32 bits.
it.each([
  ['sgd', 0],
  ['adagrad', 2],
  ['adamw_torch', 4],
  ['lion_32bit', 4],
  ['ademamix', 12],
  ['adamw_8bit', (2 * (1 + 1 / 64) * (total - embedding) + 8 * embedding) / total],
  ['lion_8bit', ((1 + 1 / 64) * (total - embedding) + 4 * embedding) / total],
  ['adamw_torch_4bit', 2 * (1 / 2 + 4 / 128)],
])('%s keeps %d bytes beside weights of two', (name, bytes) => {
  expect(stateBytes(ddp(name)).optimizer).toBeCloseTo(bytes, 9);
});

it('adapters have no embedding among them', () => {
  const tuning = { kind: 'lora', rank: 8, targets: 'all-linear' } as const;
  expect(stateBytes({ ...ddp('adamw_8bit'), tuning }).optimizer).toBeCloseTo(2 + 2 / 64, 9);
});

it('Adafactor keeps rows and columns, of a flat vector every number', () => {
  expect(named('adafactor').fixed).toBeLessThan(0.05);
  expect(named('adafactor', true).fixed).toBe(4);
});

it('what copies little while it steps needs less then', () => {
  const step = (name: string): number => {
    const moment = estimateTrainingMemory(ddp(name)).moments.find((one) => one.name === 'step');
    return sumOf((moment?.terms ?? []).filter((one) => one.name === 'step copy'));
  };
  expect(step('adamw_8bit')).toBe(0);
  expect(step('adamw_torch')).toBe(2 * total);
  expect(step('adafactor')).toBe(12 * countParameters(shape).largestLayer);
});

it('another optimizer than Adam is not advised to go to the host', () => {
  const machine = { cardGb: 24, hostMemory: 2e12 };
  const knobs = (name: string) => trainingRemedies(ddp(name), machine).map(({ knob }) => knob);
  expect(judgeTraining(ddp('lion_32bit'), machine).verdict).toBe('out-of-memory');
  expect(knobs('adamw_torch')).toContain('offload');
  expect(knobs('lion_32bit')).not.toContain('offload');
});

it('a name that is not known is not guessed', () => {
  for (const name of ['galore_adamw', 'muon', 'toString', ''])
    expect(optimizerNamed(name, { flat: false, momentum: false })).toBeUndefined();
});
