import { expect, it } from 'vitest';
import { type CheckpointKind, checkpointSize, peakDisk } from './checkpoint-size.ts';

const parameters = 32_762_123_264;

it.each<[string, CheckpointKind, number]>([
  ['with DeepSpeed', { trainer: 'ms-swift', content: 'full', deepspeed: true, precision: 'bf16' }, 14],
  ['in 32 bits', { trainer: 'ms-swift', content: 'full', deepspeed: false, precision: 'fp32' }, 12],
  ['weights alone', { trainer: 'ms-swift', content: 'weights', precision: 'bf16' }, 2],
  ['verl', { trainer: 'verl-fsdp', precision: 'fp32', hfModel: false }, 12],
  ['verl with weights', { trainer: 'verl-fsdp', precision: 'fp32', hfModel: true }, 16],
  ['Megatron', { trainer: 'megatron', optimizer: true, safetensors: false }, 14],
  ['Megatron without optimizer', { trainer: 'megatron', optimizer: false, safetensors: true }, 4],
])('%s: bytes a parameter', (_, kind, bytes) => {
  expect(checkpointSize(parameters, kind).total).toBe(bytes * parameters);
});

it('of a run of verl on a CPU was as large as this says, to a percent', () => {
  const kind = { trainer: 'verl-fsdp', precision: 'fp32', hfModel: true } as const;
  const measured = { model: 2_773_227, optimizer: 5_544_523, hf_model: 2_755_696 };
  for (const { name, bytes } of checkpointSize(688_000, kind).terms)
    expect(Math.abs(bytes / measured[name as keyof typeof measured] - 1)).toBeLessThan(0.01);
});

it('of adapters does not depend on the model', () => {
  const kind = { trainer: 'ms-swift', content: 'lora', adapters: 1000, optimizer: true } as const;
  expect(checkpointSize(parameters, kind)).toMatchObject({
    total: 12_000,
    terms: [{ bytes: 4000 }, { bytes: 8000 }],
  });
});

it('the disk holds one more than are kept, never more than were saved', () => {
  const checkpoint = checkpointSize(1, { trainer: 'ms-swift', content: 'weights', precision: 'fp32' });
  expect(peakDisk(checkpoint, 10, 2)).toBe(12);
  expect(peakDisk(checkpoint, 2, 2)).toBe(8);
  expect(peakDisk(checkpoint, 10)).toBe(40);
});
