import type { ModelShape } from './model-shape.ts';

const qwen3 = { headDim: 128, kvHeads: 8, vocab: 151_936, qkNorm: true } as const;
const qwen2 = { headDim: 128, attentionBias: true, tiedEmbeddings: false } as const;
const llama = { headDim: 128, tiedEmbeddings: false } as const;

/** Shapes of public models, as their `config.json` on the Hugging Face hub gives them. */
export const KNOWN_SHAPES = {
  'qwen3-0.6b': { ...qwen3, layers: 28, hidden: 1024, heads: 16, intermediate: 3072, tiedEmbeddings: true },
  'qwen3-1.7b': { ...qwen3, layers: 28, hidden: 2048, heads: 16, intermediate: 6144, tiedEmbeddings: true },
  'qwen3-4b': { ...qwen3, layers: 36, hidden: 2560, heads: 32, intermediate: 9728, tiedEmbeddings: true },
  'qwen3-8b': { ...qwen3, layers: 36, hidden: 4096, heads: 32, intermediate: 12_288, tiedEmbeddings: false },
  'qwen3-14b': { ...qwen3, layers: 40, hidden: 5120, heads: 40, intermediate: 17_408, tiedEmbeddings: false },
  'qwen3-32b': { ...qwen3, layers: 64, hidden: 5120, heads: 64, intermediate: 25_600, tiedEmbeddings: false },
  'qwen3-30b-a3b': {
    ...qwen3,
    layers: 48,
    hidden: 2048,
    heads: 32,
    kvHeads: 4,
    intermediate: 6144,
    tiedEmbeddings: false,
    experts: { count: 128, active: 8, intermediate: 768 },
  },
  'qwen2.5-0.5b': {
    ...qwen2,
    layers: 24,
    hidden: 896,
    heads: 14,
    kvHeads: 2,
    headDim: 64,
    intermediate: 4864,
    vocab: 151_936,
    tiedEmbeddings: true,
  },
  'qwen2.5-1.5b': {
    ...qwen2,
    layers: 28,
    hidden: 1536,
    heads: 12,
    kvHeads: 2,
    intermediate: 8960,
    vocab: 151_936,
    tiedEmbeddings: true,
  },
  'qwen2.5-3b': {
    ...qwen2,
    layers: 36,
    hidden: 2048,
    heads: 16,
    kvHeads: 2,
    intermediate: 11_008,
    vocab: 151_936,
    tiedEmbeddings: true,
  },
  'qwen2.5-7b': {
    ...qwen2,
    layers: 28,
    hidden: 3584,
    heads: 28,
    kvHeads: 4,
    intermediate: 18_944,
    vocab: 152_064,
  },
  'qwen2.5-14b': {
    ...qwen2,
    layers: 48,
    hidden: 5120,
    heads: 40,
    kvHeads: 8,
    intermediate: 13_824,
    vocab: 152_064,
  },
  'qwen2.5-32b': {
    ...qwen2,
    layers: 64,
    hidden: 5120,
    heads: 40,
    kvHeads: 8,
    intermediate: 27_648,
    vocab: 152_064,
  },
  'qwen2.5-72b': {
    ...qwen2,
    layers: 80,
    hidden: 8192,
    heads: 64,
    kvHeads: 8,
    intermediate: 29_568,
    vocab: 152_064,
  },
  'llama-3-8b': {
    ...llama,
    layers: 32,
    hidden: 4096,
    heads: 32,
    kvHeads: 8,
    intermediate: 14_336,
    vocab: 128_256,
  },
  'llama-3-70b': {
    ...llama,
    layers: 80,
    hidden: 8192,
    heads: 64,
    kvHeads: 8,
    intermediate: 28_672,
    vocab: 128_256,
  },
  'llama-33b': {
    ...llama,
    layers: 60,
    hidden: 6656,
    heads: 52,
    kvHeads: 52,
    intermediate: 17_920,
    vocab: 32_000,
  },
} as const satisfies Record<string, ModelShape>;

/** The name of a model whose shape is known. */
export type KnownModel = keyof typeof KNOWN_SHAPES;

/** Other names under which the same shape is published. */
const SAME_SHAPE: Readonly<Record<string, KnownModel>> = {
  'qwen2-7b': 'qwen2.5-7b',
  'qwen2-72b': 'qwen2.5-72b',
  'deepseek-r1-distill-qwen-14b': 'qwen2.5-14b',
  'deepseek-r1-distill-qwen-32b': 'qwen2.5-32b',
  'qwq-32b': 'qwen2.5-32b',
  'meta-llama-3-8b': 'llama-3-8b',
  'meta-llama-3-70b': 'llama-3-70b',
  'llama-3.1-8b': 'llama-3-8b',
  'meta-llama-3.1-8b': 'llama-3-8b',
  'llama-3.1-70b': 'llama-3-70b',
  'meta-llama-3.1-70b': 'llama-3-70b',
  'llama-30b': 'llama-33b',
};

/** What is trained differently but shaped alike: `-Base`, `-Instruct`, `-Chat`, a month, `-hf`. */
const VARIANT = /-(?:base|instruct|chat|thinking|hf|it|\d{4})$/;

/**
 * The shape behind a hub id or a folder: `Qwen/Qwen3-32B`, `/models/Qwen3-32B-Base/`. Only whole names count:
 * a `Qwen3-32B-AWQ`, whose weights are not two bytes each, is not found, and neither is a model renamed.
 */
export function findKnownShape(idOrPath: string): { name: KnownModel; shape: ModelShape } | undefined {
  let name = idOrPath.replaceAll('\\', '/').replace(/\/+$/, '').split('/').at(-1)?.toLowerCase() ?? '';
  while (VARIANT.test(name)) name = name.replace(VARIANT, '');
  const known = Object.hasOwn(SAME_SHAPE, name) ? SAME_SHAPE[name] : name;
  if (known === undefined || !isKnown(known)) return undefined;
  return { name: known, shape: KNOWN_SHAPES[known] };
}

function isKnown(name: string): name is KnownModel {
  return Object.hasOwn(KNOWN_SHAPES, name);
}
