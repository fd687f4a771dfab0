import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KNOWN_SHAPES } from './known-shapes.ts';
import { countParameters } from './model-shape.ts';
import { shapeFromConfig } from './shape-from-config.ts';

const qwen3 = {
  model_type: 'qwen3',
  num_hidden_layers: 64,
  hidden_size: 5120,
  num_attention_heads: 64,
  num_key_value_heads: 8,
  head_dim: 128,
  intermediate_size: 25_600,
  vocab_size: 151_936,
  tie_word_embeddings: false,
};

it('reads Qwen3', () => {
  expect(shapeFromConfig(qwen3)).toEqual({ ok: true, shape: KNOWN_SHAPES['qwen3-32b'] });
});

it('reads a mixture of experts', () => {
  const config = {
    ...qwen3,
    model_type: 'qwen3_moe',
    num_hidden_layers: 48,
    hidden_size: 2048,
    num_attention_heads: 32,
    num_key_value_heads: 4,
    intermediate_size: 6144,
    num_experts: 128,
    num_experts_per_tok: 8,
    moe_intermediate_size: 768,
    decoder_sparse_step: 1,
    mlp_only_layers: [],
  };
  expect(shapeFromConfig(config)).toEqual({ ok: true, shape: KNOWN_SHAPES['qwen3-30b-a3b'] });
  expect(shapeFromConfig({ ...config, mlp_only_layers: [0] })).toMatchObject({
    ok: false,
    key: 'mlp_only_layers',
  });
});

it("takes Qwen2's biases and Llama's head size from what the families always do", () => {
  const qwen2 = {
    ...qwen3,
    model_type: 'qwen2',
    num_attention_heads: 40,
    intermediate_size: 27_648,
    vocab_size: 152_064,
  };
  expect(shapeFromConfig({ ...qwen2, head_dim: undefined })).toEqual({
    ok: true,
    shape: KNOWN_SHAPES['qwen2.5-32b'],
  });
  const llama = {
    ...qwen3,
    model_type: 'llama',
    hidden_size: 4096,
    num_attention_heads: 32,
    head_dim: undefined,
  };
  const reading = shapeFromConfig({
    ...llama,
    num_hidden_layers: 32,
    intermediate_size: 14_336,
    vocab_size: 128_256,
  });
  expect(reading).toEqual({ ok: true, shape: KNOWN_SHAPES['llama-3-8b'] });
});

it.each([
  [null, '', 'not supported'],
  [[qwen3], '', 'not supported'],
  [{ ...qwen3, model_type: 'mamba' }, 'model_type', 'not supported'],
  [{ ...qwen3, hidden_size: undefined }, 'hidden_size', 'missing'],
  [{ ...qwen3, hidden_size: '5120' }, 'hidden_size', 'not a positive whole number'],
  [{ ...qwen3, num_hidden_layers: -1 }, 'num_hidden_layers', 'not a positive whole number'],
  [{ ...qwen3, vocab_size: 1e300 }, 'vocab_size', 'not a positive whole number'],
  [{ ...qwen3, vocab_size: Number.NaN }, 'vocab_size', 'not a positive whole number'],
  [{ ...qwen3, num_key_value_heads: 7 }, 'num_key_value_heads', 'not supported'],
])('says what is wrong with %j', (config, key, problem) => {
  expect(shapeFromConfig(config)).toEqual({ ok: false, key, problem });
});

it('never throws, and what it reads can be counted', () => {
  const value = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null), fc.constant(8));
  const config = fc.record(Object.fromEntries(Object.keys(qwen3).map((key) => [key, value])));
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), config),
      fc.constantFrom('qwen3', 'llama', 'qwen2_moe'),
      (json, family) => {
        const asked = typeof json === 'object' && json !== null ? { ...json, model_type: family } : json;
        const reading = shapeFromConfig(asked);
        if (reading.ok) expect(Number.isSafeInteger(countParameters(reading.shape).total)).toBe(true);
      },
    ),
  );
});
