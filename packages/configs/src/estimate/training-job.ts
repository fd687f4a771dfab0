import type { FrozenWeights } from './frozen-weights.ts';
import type { ModelShape } from './model-shape.ts';
import type { Optimizer } from './optimizers.ts';

/** How weights, gradients and optimizer states are spread over the GPUs. */
export type Sharding =
  | { kind: 'ddp' | 'zero1' | 'zero2' | 'zero3' | 'fsdp' | 'fsdp2' }
  | {
      kind: 'megatron';
      /** Tensor, pipeline, context and expert parallel sizes; 1 when left out */
      tp: number;
      pp?: number;
      cp?: number;
      ep?: number;
      /** Activations between the tensor-parallel regions are split as well (arXiv 2205.05198) */
      sequenceParallel: boolean;
      /** Optimizer states are spread over the data-parallel ranks */
      distributedOptimizer: boolean;
    };

/** A matrix of a layer that can carry a LoRA adapter. */
export type LoraTarget = 'q' | 'k' | 'v' | 'o' | 'gate' | 'up' | 'down';

/** What is trained: every weight, or low-rank adapters beside weights that are frozen (default: as wide as computed). */
export type Tuning =
  | { kind: 'full' }
  | {
      kind: 'lora';
      rank: number;
      targets: 'all-linear' | readonly LoraTarget[];
      frozen?: FrozenWeights;
      /** Bytes of an adapter's number where torch owns it; peft trains in 32 bits unless told otherwise. Default 4 */
      adapterBytes?: 2 | 4;
    };

/**
 * - `bf16-mixed`: computes in 16 bits, keeps a 32-bit copy of what it trains.
 * - `bf16-pure`: weights, gradients and both Adam moments in 16 bits.
 * - `fp32`: everything in 32 bits.
 */
export type Precision = 'bf16-mixed' | 'bf16-pure' | 'fp32';

/** A training job, as far as its memory depends on it. */
export type TrainingJob = {
  shape: ModelShape;
  /** All GPUs of the job */
  gpus: number;
  gpusPerNode: number;
  sharding: Sharding;
  /**
   * What lives in the host's memory all the time: nothing, the optimizer's states and gradients, or the weights
   * too. (verl's offload between phases is not this: see `rl-memory.ts`.)
   */
  offload: 'none' | 'optimizer' | 'all';
  precision: Precision;
  tuning: Tuning;
  /** Rows per GPU and forward pass */
  microBatch: number;
  /** Tokens of the longest row, or of a pack */
  sequenceLength: number;
  /** GPUs that share one row (Ulysses, ring attention) outside Megatron. Default 1 */
  sequenceParallel?: number;
  /** Forward passes before the optimizer steps. Default 1 */
  accumulation?: number;
  /** Only each layer's input is kept for the backward pass, and the layer is computed again */
  checkpointing: boolean;
  /** `eager` holds the matrix of attention scores, `flash` does not. Default flash */
  attention?: 'flash' | 'eager';
  /** The loss is computed from the hidden states in chunks (Liger), so that the logits never exist as a whole */
  fusedLoss: boolean;
  /** What the optimizer keeps. Default AdamW */
  optimizer?: Optimizer;
  /** Whether the loss has a fused form. Default true */
  fusable?: boolean;
  /** torch's AdamW by lists needs a copy of its parameters while it steps, the fused one none. Default foreach */
  adam?: 'foreach' | 'fused';
  /** A frozen copy of the model beside it, which the loss compares with (DPO); sharded as the weights are */
  reference?: { bytesPerParameter: 2 | 4 };
  /** One number a token comes out, no logits (a critic, a reward model); its shape is then without an output matrix */
  valueHead?: boolean;
  /** The entropy of whole logits is computed beside the loss (verl). Default false */
  wholeEntropy?: boolean;
  /** PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. Default false */
  expandableSegments?: boolean;
  /** The whole model is built on each GPU before it is sharded (ZeRO-3 without `zero.Init`). Default false */
  wholeModelAtStart?: boolean;
};

/** Sizes of the groups that a job's GPUs form. */
export type Groups = {
  tensor: number;
  pipeline: number;
  /** GPUs that share a row's tokens */
  sequence: number;
  expert: number;
  /** Data-parallel replicas */
  data: number;
  /** GPUs over which a replica's activations between matrices are split */
  activation: number;
};

/** The groups of a job. GPUs that the parallel sizes do not divide count as none left over: at least one replica. */
export function groupsOf(job: TrainingJob): Groups {
  const { sharding } = job;
  if (sharding.kind !== 'megatron') {
    const sequence = job.sequenceParallel ?? 1;
    const data = Math.max(1, Math.floor(job.gpus / sequence));
    return { tensor: 1, pipeline: 1, sequence, expert: 1, data, activation: 1 };
  }
  const { tp: tensor, pp: pipeline = 1, cp: sequence = 1, ep: expert = 1 } = sharding;
  const data = Math.max(1, Math.floor(job.gpus / (tensor * pipeline * sequence)));
  return { tensor, pipeline, sequence, expert, data, activation: sharding.sequenceParallel ? tensor : 1 };
}
