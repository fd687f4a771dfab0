import { countParameters, keyWidth, type ModelShape, queryWidth } from './model-shape.ts';
import type { TrainingJob } from './training-job.ts';

/**
 * How weights that are not trained are held. `bnb`: the linear layers of the decoder in 4 or 8 bits (bitsandbytes);
 * embeddings, the head and norms stay in 16.
 */
export type FrozenWeights =
  | { kind: 'plain'; bytes: 2 | 4 }
  | { kind: 'bnb'; bits: 4 | 8; doubleQuant: boolean };

/**
 * Bytes of one number in 4 bits: its half, and a 32-bit scale for each block of 64; quantised twice, the scale has 8
 * bits and a 32-bit scale of its own for each 256 (QLoRA, arXiv 2305.14314, §3). In 8 bits a row has one scale.
 */
function linearBytes(frozen: Extract<FrozenWeights, { kind: 'bnb' }>, hidden: number): number {
  if (frozen.bits === 8) return 1 + 4 / hidden;
  return 0.5 + (frozen.doubleQuant ? 1 / 64 + 4 / (64 * 256) : 4 / 64);
}

/** Parameters of the linear layers of the decoder. */
function linearParameters(shape: ModelShape): number {
  const { hidden, layers, intermediate } = shape;
  return layers * hidden * (2 * queryWidth(shape) + 2 * keyWidth(shape) + 3 * intermediate);
}

/** Bytes of a frozen parameter, on average over the model. */
export function frozenBytes({ shape, tuning, precision }: TrainingJob): number {
  const plain = precision === 'fp32' ? 4 : 2;
  const frozen = tuning.kind === 'lora' ? tuning.frozen : undefined;
  if (frozen === undefined) return plain;
  if (frozen.kind === 'plain') return frozen.bytes;
  const { total } = countParameters(shape);
  const linear = linearParameters(shape);
  return (linear * linearBytes(frozen, shape.hidden) + (total - linear) * 2) / total;
}

/** Bytes of the largest matrix, which is written out in 16 bits while it multiplies; 0 where it is so already. */
export function dequantised({ shape, tuning }: TrainingJob): number {
  const packed = tuning.kind === 'lora' && tuning.frozen?.kind === 'bnb';
  return packed ? 2 * shape.hidden * Math.max(queryWidth(shape), shape.intermediate) : 0;
}
