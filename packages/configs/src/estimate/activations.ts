import { countParameters, keyWidth, type ModelShape, queryWidth } from './model-shape.ts';
import { groupsOf, type TrainingJob } from './training-job.ts';

/** Tokens that one GPU computes in a forward pass. */
export function tokensPerGpu(job: TrainingJob): number {
  return (job.microBatch * job.sequenceLength) / groupsOf(job).sequence;
}

/** Bytes of one number in a forward pass. */
const wide = (job: TrainingJob): number => (job.precision === 'fp32' ? 4 : 2);

/**
 * Bytes that one layer keeps for its backward pass, on one GPU. Counted as Korthikanti et al. count (arXiv
 * 2205.05198, §4.1: 34·s·b·h for a GPT layer), for grouped queries and a gated feed-forward: the inputs of both
 * norms (4h in 16 bits), queries, keys and values before and after the rotary step (2(q + 2kv)), the attention's
 * result (2q), and gate, up, their product and its activation (8·ffn). `eager` attention adds its score matrix,
 * softmax and their mask, 5 bytes for each head and pair of tokens; flash attention does not hold them.
 */
export function layerActivations(job: TrainingJob): number {
  const { shape } = job;
  const { tensor, activation } = groupsOf(job);
  const tokens = tokensPerGpu(job);
  const q = queryWidth(shape);
  const outside = 4 * shape.hidden + routedCopies(shape);
  const inside = 2 * (q + 2 * keyWidth(shape)) + 2 * q + 8 * feedForwardWidth(shape);
  const scores = job.attention === 'eager' ? (5 * shape.heads * job.sequenceLength) / tensor : 0;
  return tokens * ((outside / activation + inside / tensor) * (wide(job) / 2) + scores);
}

/** Width of the feed-forward that one token passes through. */
function feedForwardWidth({ experts, intermediate }: ModelShape): number {
  if (!experts) return intermediate;
  return experts.active * experts.intermediate + (experts.sharedIntermediate ?? 0);
}

/** Copies of a token's hidden state on their way to the experts and back, in 16 bits. */
const routedCopies = ({ experts, hidden }: ModelShape): number => (experts ? 4 * experts.active * hidden : 0);

/**
 * Bytes kept from the forward to the backward pass. With checkpointing one input a layer, 2·s·b·h (arXiv
 * 2205.05198, §5); the first pipeline stage holds as many rows at once as there are stages, so the stages cancel.
 */
export function keptActivations(job: TrainingJob): number {
  const { layers, hidden } = job.shape;
  if (!job.checkpointing) return layers * layerActivations(job);
  return (layers * tokensPerGpu(job) * hidden * wide(job)) / groupsOf(job).activation;
}

/**
 * Bytes while one layer is computed again and differentiated: its activations, and half as much for the gradients
 * that are alive at once. The half is our assumption.
 */
export function layerWorkingSet(job: TrainingJob): number {
  return 1.5 * layerActivations(job);
}

/**
 * Bytes of the logits and their loss: in 16 bits, once more in 32 bits, and the log-softmax that the backward
 * pass needs. A fused loss cuts the tokens so that a chunk's logits are as large as the hidden states (Liger
 * kernel, fused linear cross entropy). Megatron splits the vocabulary over its tensor-parallel ranks; its fused
 * loss works in place on 32-bit logits, but they do exist.
 */
export function logits(job: TrainingJob): { bytes: number; why: string } {
  const tokens = tokensPerGpu(job);
  if (job.valueHead) return { bytes: 4 * tokens, why: 'one number a token' };
  const entropy = job.wholeEntropy ? 4 : 0;
  const each = wide(job) + 8 + entropy;
  const { vocab, hidden } = job.shape;
  if (job.sharding.kind === 'megatron') {
    const bytes = job.fusedLoss ? wide(job) + 4 + entropy : each;
    const { tensor } = groupsOf(job);
    return {
      bytes: (tokens * vocab * bytes) / tensor,
      why: `${bytes} bytes a logit, vocabulary split over ${tensor}`,
    };
  }
  if (job.fusedLoss) return { bytes: tokens * hidden * each, why: 'in chunks as large as the hidden states' };
  return {
    bytes: tokens * vocab * each,
    why: `${each} bytes a logit: 16 bits, 32 bits, log-softmax${job.wholeEntropy ? ', entropy' : ''}`,
  };
}

/** Bytes of the weights that are whole for a moment: two layers (one computes, one arrives) and the embeddings. */
export function gatheredWeights(job: TrainingJob): number {
  const { perLayer, embedding, embeddings } = countParameters(job.shape);
  return wide(job) * (2 * perLayer + embeddings * embedding);
}

/** Bytes of the largest gradient that is whole before it is split over the GPUs. */
export function wholeGradient(job: TrainingJob): number {
  const { perLayer, embedding } = countParameters(job.shape);
  return wide(job) * Math.max(perLayer, embedding);
}
