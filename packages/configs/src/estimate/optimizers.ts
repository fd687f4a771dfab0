/** What an optimizer keeps for each parameter, beside the weights, their gradients and a 32-bit copy of the weights. */
export type Optimizer = {
  name: string;
  /** States as wide as the weights that it updates */
  states: number;
  /** Bytes of states whose width is the optimizer's own */
  fixed: number;
  /** Bytes that each number of an input embedding takes on top: bitsandbytes keeps its states in 32 bits */
  embedding?: number;
  /** What it copies while it steps: all that it updates (torch, by lists), one matrix, or nothing to speak of */
  copies: 'all' | 'matrix' | 'none';
};

const torch = (states: number): Omit<Optimizer, 'name'> => ({ states, fixed: 0, copies: 'all' });

/** One state of `bits` with a 32-bit scale for every `block` numbers. */
const packed = (states: number, bits: number, block: number): number => states * (bits / 8 + 4 / block);

/** bitsandbytes: blocks of 256 (`optim/optimizer.py`); transformers asks for 32 bits for embeddings (`trainer.py`). */
const bnb8 = (states: number): Omit<Optimizer, 'name'> => ({
  states: 0,
  fixed: packed(states, 8, 256),
  embedding: states * 4 - packed(states, 8, 256),
  copies: 'none',
});
const bnb32 = (states: number): Omit<Optimizer, 'name'> => ({
  states: 0,
  fixed: 4 * states,
  copies: 'none',
});

export const ADAM: Optimizer = { name: 'adamw_torch', ...torch(2) };

/**
 * transformers' names (`OptimizerNames`) and what stands behind them (`trainer_optimizer.py`). Paged states are
 * counted like others: they leave the GPU only when it is full. torchao: blocks of 256 in 8 bits, of 128 in 4.
 */
const TABLE: Readonly<Record<string, Omit<Optimizer, 'name'>>> = {
  adamw_torch: torch(2),
  adamw_torch_fused: torch(2),
  adamw_torch_8bit: { states: 0, fixed: packed(2, 8, 256), copies: 'matrix' },
  adamw_torch_4bit: { states: 0, fixed: packed(2, 4, 128), copies: 'matrix' },
  adamw_8bit: bnb8(2),
  adamw_bnb_8bit: bnb8(2),
  paged_adamw_8bit: bnb8(2),
  paged_adamw_32bit: bnb32(2),
  lion_8bit: bnb8(1),
  paged_lion_8bit: bnb8(1),
  lion_32bit: bnb32(1),
  paged_lion_32bit: bnb32(1),
  ademamix: bnb32(3),
  paged_ademamix_32bit: bnb32(3),
  ademamix_8bit: bnb8(3),
  paged_ademamix_8bit: bnb8(3),
  rmsprop_bnb: bnb32(1),
  rmsprop_bnb_32bit: bnb32(1),
  rmsprop_bnb_8bit: bnb8(1),
  adagrad: torch(1),
};

/** Of a matrix a row and a column are kept (arXiv 1804.04235): 8 bytes over some thousands of numbers. */
const FACTORED = 0.01;

/**
 * An optimizer by transformers' name, or undefined where its states are not known here. `flat`: its parameters are
 * pieces of one long vector (ZeRO), of which Adafactor cannot keep rows and columns, so it keeps every number.
 */
export function optimizerNamed(
  name: string,
  { flat, momentum }: { flat: boolean; momentum: boolean },
): Optimizer | undefined {
  if (name === 'sgd') return { name, ...torch(momentum ? 1 : 0) };
  if (name === 'adafactor') return { name, states: 0, fixed: flat ? 4 : FACTORED, copies: 'matrix' };
  const found = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (found === undefined) return undefined;
  const { embedding, ...rest } = found;
  return { name, ...rest, ...(flat || embedding === undefined ? {} : { embedding }) };
}
