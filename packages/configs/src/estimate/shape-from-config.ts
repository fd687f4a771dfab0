import type { Experts, ModelShape } from './model-shape.ts';

/** A shape, or what in the configuration prevented one. */
export type ShapeReading =
  | { ok: true; shape: ModelShape }
  | { ok: false; key: string; problem: 'missing' | 'not a positive whole number' | 'not supported' };

/** Families whose layers `countParameters` describes exactly. */
const FAMILIES = ['llama', 'mistral', 'qwen2', 'qwen3', 'qwen2_moe', 'qwen3_moe'] as const;

/** Larger than any size in use; products of a few stay exact in a double. */
const LARGEST = 2 ** 24;

class Unreadable extends Error {
  readonly reading: ShapeReading;
  constructor(key: string, problem: Extract<ShapeReading, { ok: false }>['problem']) {
    super(`${key}: ${problem}`);
    this.reading = { ok: false, key, problem };
  }
}

/**
 * The shape that a Hugging Face `config.json` describes. The value is data from outside: anything may be in it,
 * and whatever is not understood is said, not guessed.
 */
export function shapeFromConfig(json: unknown): ShapeReading {
  try {
    return { ok: true, shape: readShape(json) };
  } catch (error) {
    if (error instanceof Unreadable) return error.reading;
    throw error;
  }
}

function readShape(json: unknown): ModelShape {
  if (!isRecord(json)) throw new Unreadable('', 'not supported');
  const family = FAMILIES.find((one) => one === json['model_type']);
  if (family === undefined) throw new Unreadable('model_type', 'not supported');
  const hidden = size(json, 'hidden_size');
  const heads = size(json, 'num_attention_heads');
  const kvHeads = size(json, 'num_key_value_heads', heads);
  if (heads % kvHeads !== 0) throw new Unreadable('num_key_value_heads', 'not supported');
  const qwen3 = family.startsWith('qwen3');
  const qwen2 = family.startsWith('qwen2');
  const headDim = size(json, 'head_dim', qwen3 ? 128 : hidden / heads);
  const moe = family.endsWith('_moe');
  const mixed = [json['mlp_only_layers'], json['decoder_sparse_step']];
  if (moe && (isFilled(mixed[0]) || (mixed[1] ?? 1) !== 1))
    throw new Unreadable('mlp_only_layers', 'not supported');
  return {
    layers: size(json, 'num_hidden_layers'),
    hidden,
    heads,
    kvHeads,
    headDim,
    intermediate: size(json, 'intermediate_size'),
    vocab: size(json, 'vocab_size'),
    tiedEmbeddings: json['tie_word_embeddings'] === true,
    ...(qwen3 ? { qkNorm: true } : {}),
    ...(qwen2 ? { attentionBias: true } : {}),
    ...(moe ? { experts: readExperts(json) } : {}),
  };
}

function readExperts(json: Record<string, unknown>): Experts {
  const count = size(json, 'num_experts');
  const active = size(json, 'num_experts_per_tok');
  if (active > count) throw new Unreadable('num_experts_per_tok', 'not supported');
  const intermediate = size(json, 'moe_intermediate_size');
  const shared = json['shared_expert_intermediate_size'];
  if (shared === undefined || shared === 0) return { count, active, intermediate };
  return { count, active, intermediate, sharedIntermediate: size(json, 'shared_expert_intermediate_size') };
}

function size(json: Record<string, unknown>, key: string, otherwise?: number): number {
  const value = json[key] ?? otherwise;
  if (value === undefined) throw new Unreadable(key, 'missing');
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0 || value > LARGEST) {
    throw new Unreadable(key, 'not a positive whole number');
  }
  return value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
