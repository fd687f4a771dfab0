import { expect, it } from 'vitest';
import { findKnownShape, KNOWN_SHAPES } from './known-shapes.ts';
import { countParameters, kvBytesPerToken } from './model-shape.ts';

it('counts Qwen3-32B to the last parameter', () => {
  const count = countParameters(KNOWN_SHAPES['qwen3-32b']);
  expect(count).toMatchObject({
    total: 32_762_123_264,
    perLayer: 487_598_336,
    embedding: 777_912_320,
    embeddings: 2,
    largestLayer: 777_912_320,
    active: 32_762_123_264,
  });
  expect(kvBytesPerToken(KNOWN_SHAPES['qwen3-32b'])).toBe(256 * 1024);
});

// Totals of the safetensors on the Hugging Face hub.
it.each([
  ['qwen3-0.6b', 596_049_920],
  ['qwen3-1.7b', 1_720_574_976],
  ['qwen3-4b', 4_022_468_096],
  ['qwen3-8b', 8_190_735_360],
  ['qwen3-14b', 14_768_307_200],
  ['qwen3-30b-a3b', 30_532_122_624],
  ['qwen2.5-0.5b', 494_032_768],
  ['qwen2.5-1.5b', 1_543_714_304],
  ['qwen2.5-3b', 3_085_938_688],
  ['qwen2.5-7b', 7_615_616_512],
  ['qwen2.5-14b', 14_770_033_664],
  ['qwen2.5-32b', 32_763_876_352],
  ['qwen2.5-72b', 72_706_203_648],
  ['llama-3-8b', 8_030_261_248],
  ['llama-3-70b', 70_553_706_496],
] as const)('counts %s: %i parameters', (name, total) => {
  expect(countParameters(KNOWN_SHAPES[name]).total).toBe(total);
});

it('counts what one token passes through in a mixture of experts', () => {
  const { active, total, expertsPerLayer } = countParameters(KNOWN_SHAPES['qwen3-30b-a3b']);
  expect(active).toBe(total - (48 * expertsPerLayer * 120) / 128);
  expect(active / 1e9).toBeCloseTo(3.35, 1);
});

it.each([
  ['Qwen/Qwen3-32B', 'qwen3-32b'],
  ['/models/Qwen3-32B-Base/', 'qwen3-32b'],
  ['C:\\models\\Qwen2.5-7B-Instruct', 'qwen2.5-7b'],
  ['Qwen/Qwen3-30B-A3B-Instruct-2507', 'qwen3-30b-a3b'],
  ['Qwen/Qwen2-7B', 'qwen2.5-7b'],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-32B', 'qwen2.5-32b'],
  ['meta-llama/Meta-Llama-3-8B-Instruct', 'llama-3-8b'],
])('finds the shape of %s', (id, name) => {
  expect(findKnownShape(id)).toEqual({ name, shape: KNOWN_SHAPES[name as 'qwen3-32b'] });
});

it.each(['Qwen/Qwen3-32B-AWQ', 'my-qwen3-32b', 'Qwen3-320B', 'constructor', '__proto__', '', '/'])(
  'knows nothing of %j',
  (id) => {
    expect(findKnownShape(id)).toBeUndefined();
  },
);
