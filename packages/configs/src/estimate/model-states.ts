import { countAdapterParameters } from './adapter-size.ts';
import { countParameters } from './model-shape.ts';
import { ADAM } from './optimizers.ts';
import { groupsOf, type TrainingJob } from './training-job.ts';

/** Bytes for one trained parameter. */
export type StateBytes = { weights: number; gradients: number; optimizer: number };

/**
 * Bytes that a trained parameter takes while it rests, by who keeps them. Adam in mixed precision costs 16 bytes
 * (arXiv 1910.02054 §3.1): DeepSpeed 2 + 2 + 12 (32-bit copy and two moments); FSDP and DDP 4 + 4 + 8, because
 * torch keeps the weights themselves in 32 bits and casts for the computation. Megatron accumulates gradients in
 * 32 bits: 2 + 4 + 12 = 18. DeepSpeed's estimator says 18 too, for the 32-bit copy of the gradients that exists
 * only while the optimizer steps; here that copy is counted at that moment (`stepCopy`), where the activations
 * are gone, and not beside them.
 */
export function stateBytes(job: TrainingJob): StateBytes {
  const torchWidth = torchBytes(job);
  if (torchWidth !== undefined)
    return { weights: torchWidth, gradients: torchWidth, optimizer: optimizerBytes(job, torchWidth) };
  const optimizer = 4 + optimizerBytes(job, 4);
  switch (job.sharding.kind) {
    case 'zero1':
    case 'zero2':
    case 'zero3':
      return { weights: 2, gradients: 2, optimizer };
    case 'megatron':
    case 'ddp':
    case 'fsdp':
    case 'fsdp2':
      return { weights: 2, gradients: 4, optimizer };
  }
}

/** The one width of weights, gradients and states where no copy of another width is kept; else undefined. */
function torchBytes({ precision, sharding, tuning }: TrainingJob): 2 | 4 | undefined {
  const torchOwned = ['ddp', 'fsdp', 'fsdp2'].includes(sharding.kind);
  if (torchOwned && tuning.kind === 'lora') return precision === 'fp32' ? 4 : (tuning.adapterBytes ?? 4);
  if (precision === 'fp32') return 4;
  if (precision === 'bf16-pure') return 2;
  return torchOwned ? 4 : undefined;
}

/** Bytes of the optimizer's own states for a parameter, on average, beside weights of `width` bytes. */
export function optimizerBytes(job: TrainingJob, width: number): number {
  const { states, fixed, embedding = 0 } = job.optimizer ?? ADAM;
  const { total, embedding: numbers } = countParameters(job.shape);
  const extra = job.tuning.kind === 'full' ? (embedding * numbers) / total : 0;
  return states * width + fixed + extra;
}

/** Numbers of parameters that one GPU holds of each kind of state, and those held for good but not trained. */
export type Shares = {
  frozen: number;
  weights: number;
  gradients: number;
  optimizer: number;
};

/** How many parameters' weights, gradients and optimizer states lie on the fullest GPU. */
export function sharesOf(job: TrainingJob): Shares {
  const { shape, sharding, gpus } = job;
  const adapters = countAdapterParameters(shape, job.tuning);
  const lora = job.tuning.kind === 'lora';
  const all = countParameters(shape).total;
  const trained = lora ? adapters : all;
  const frozen = lora ? all : 0;
  const share = 1 / gpus;
  switch (sharding.kind) {
    case 'ddp':
      return { frozen, weights: trained, gradients: trained, optimizer: trained };
    case 'zero1':
      return { frozen, weights: trained, gradients: trained, optimizer: trained * share };
    case 'zero2':
      return { frozen, weights: trained, gradients: trained * share, optimizer: trained * share };
    case 'zero3':
    case 'fsdp':
    case 'fsdp2':
      return {
        frozen: frozen * share,
        weights: trained * share,
        gradients: trained * share,
        optimizer: trained * share,
      };
    case 'megatron':
      return megatronShares(job, lora, adapters);
  }
}

/**
 * Megatron: the fullest pipeline stage, cut by tensor parallelism; experts are cut by expert parallelism instead
 * (an expert's own matrices stay whole), and their optimizer states by the replicas of that expert.
 */
function megatronShares(job: TrainingJob, lora: boolean, adapters: number): Shares {
  const { tensor, pipeline, sequence, expert, data } = groupsOf(job);
  const { perLayer, expertsPerLayer, embedding, embeddings } = countParameters(job.shape);
  const distributed = job.sharding.kind === 'megatron' && job.sharding.distributedOptimizer;
  const layers = Math.ceil(job.shape.layers / pipeline);
  const matrices = pipeline === 1 ? embeddings : 1;
  const dense = (layers * (perLayer - expertsPerLayer) + matrices * embedding + job.shape.hidden) / tensor;
  const routed = (layers * expertsPerLayer) / expert;
  if (lora) {
    const here = adapters / (tensor * pipeline);
    const owners = distributed ? data * sequence : 1;
    return { frozen: dense + routed, weights: here, gradients: here, optimizer: here / owners };
  }
  const held = dense + routed;
  if (!distributed) return { frozen: 0, weights: held, gradients: held, optimizer: held };
  const replicas = Math.max(1, Math.floor(job.gpus / (pipeline * expert)));
  const optimizer = dense / (data * sequence) + routed / replicas;
  return { frozen: 0, weights: held, gradients: held, optimizer };
}
