/**
 * The sizes of a decoder-only transformer with RMS norms, rotary positions and a gated feed-forward
 * (Llama, Qwen2, Qwen2.5, Qwen3 and their mixtures of experts). Names in brackets are those of `config.json`.
 */
export type ModelShape = {
  /** num_hidden_layers */
  layers: number;
  /** hidden_size */
  hidden: number;
  /** num_attention_heads */
  heads: number;
  /** num_key_value_heads */
  kvHeads: number;
  /** head_dim; hidden / heads when the configuration has none */
  headDim: number;
  /** intermediate_size of a dense feed-forward */
  intermediate: number;
  /** vocab_size: rows of an embedding matrix, padding included */
  vocab: number;
  /** tie_word_embeddings: one matrix for the input and the output */
  tiedEmbeddings: boolean;
  /** A norm on each query head and each key head (Qwen3) */
  qkNorm?: boolean;
  /** A bias on the query, key and value projections (Qwen2, Qwen2.5) */
  attentionBias?: boolean;
  /** A mixture of experts in place of every dense feed-forward */
  experts?: Experts;
};

/** count: num_experts; active: num_experts_per_tok; intermediate: moe_intermediate_size. */
export type Experts = { count: number; active: number; intermediate: number; sharedIntermediate?: number };

/** Numbers of parameters. */
export type ParameterCount = {
  /** Every parameter, tied ones once */
  total: number;
  /** One decoder layer: attention, feed-forward, both norms, biases */
  perLayer: number;
  /** One embedding matrix, vocab × hidden */
  embedding: number;
  /** Embedding matrices that the model has: 1 when tied, else 2 */
  embeddings: 1 | 2;
  /** The largest single matrix: what DeepSpeed calls the largest layer */
  largestLayer: number;
  /** Parameters that one token passes through; below the total only with experts */
  active: number;
  /** Of one layer, what is in the routed experts */
  expertsPerLayer: number;
};

/** Width of all query heads together. */
export const queryWidth = (shape: ModelShape): number => shape.heads * shape.headDim;

/** Width of all key heads together; the values are as wide. */
export const keyWidth = (shape: ModelShape): number => shape.kvHeads * shape.headDim;

/** Bytes of keys and values that one token leaves in a cache of 2-byte numbers, over all layers. */
export const kvBytesPerToken = (shape: ModelShape): number => 2 * shape.layers * keyWidth(shape) * 2;

/** Counts the parameters of a shape. Exact for the models in `known-shapes.ts`. */
export function countParameters(shape: ModelShape): ParameterCount {
  const { hidden, layers, vocab, experts } = shape;
  const q = queryWidth(shape);
  const kv = keyWidth(shape);
  const attention = 2 * hidden * q + 2 * hidden * kv;
  const extras = (shape.attentionBias ? q + 2 * kv : 0) + (shape.qkNorm ? 2 * shape.headDim : 0);
  const norms = 2 * hidden;
  const expert = experts ? 3 * hidden * experts.intermediate : 0;
  const expertsPerLayer = experts ? experts.count * expert : 0;
  const shared = experts?.sharedIntermediate ? 3 * hidden * experts.sharedIntermediate + hidden : 0;
  const router = experts ? hidden * experts.count : 0;
  const feedForward = experts ? expertsPerLayer + shared + router : 3 * hidden * shape.intermediate;
  const perLayer = attention + extras + norms + feedForward;
  const embedding = vocab * hidden;
  const embeddings = shape.tiedEmbeddings ? 1 : 2;
  const total = layers * perLayer + embeddings * embedding + hidden;
  const idle = experts ? layers * (experts.count - experts.active) * expert : 0;
  const matrices = [hidden * q, hidden * (experts?.intermediate ?? shape.intermediate), embedding];
  const largestLayer = Math.max(...matrices);
  return { total, perLayer, embedding, embeddings, largestLayer, active: total - idle, expertsPerLayer };
}

/** A model whose head gives one number a token in place of logits: its output matrix, if it has its own, is gone. */
export const valueShape = (shape: ModelShape): ModelShape => ({ ...shape, tiedEmbeddings: true });
