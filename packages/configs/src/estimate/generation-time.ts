import type { Card } from './cards.ts';
import { type Assumption, hoursFor, type Range, RL_UTILISATION, scale } from './compute.ts';
import { countParameters, kvBytesPerToken, type ModelShape } from './model-shape.ts';

/** Replies that a set of engine replicas has to write. */
export type Generation = {
  shape: ModelShape;
  /** Conversations in one go, over all replicas */
  conversations: number;
  meanPrompt: number;
  meanReply: number;
  longestReply: number;
  /** GPUs of one replica, and replicas */
  tp: number;
  replicas: number;
  /** Conversations that one replica's cache holds at once: `RolloutCache.fullReplies`, or more when most are short */
  concurrent: number;
  card: Card;
};

/** Of a card's memory bandwidth, what decoding reaches. */
export const BANDWIDTH_UTILISATION: Assumption = {
  name: 'memory bandwidth utilisation, decoding',
  low: 0.3,
  high: 0.7,
  why: 'assumed; between small kernels on many GPUs and large batches on few',
};

/**
 * Hours to write the replies once. A decoding step gives every conversation of a replica one token and reads all
 * weights and all caches once, so it takes their bytes over the memory bandwidth of the replica's GPUs, or its
 * FLOPs over their peak, whichever is longer (the roofline of arXiv 2211.05102). Low: replies of mean length, slots
 * refilled at once. High: every wave waits for a reply of the longest length. Prompts are computed once each.
 */
export function generationHours(job: Generation): Range {
  const perReplica = Math.ceil(job.conversations / job.replicas);
  const batch = Math.max(1, Math.min(job.concurrent, perReplica));
  const waves = perReplica / batch;
  const low = waves * job.meanReply * stepHours(job, batch).low;
  const high = Math.ceil(waves) * job.longestReply * stepHours(job, batch).high;
  const prompts = hoursFor(prefillFlops(job, perReplica), job.tp, job.card, RL_UTILISATION);
  return { low: low + prompts.low, high: high + prompts.high };
}

/** Hours of one decoding step of one replica. All experts are read: a batch's tokens touch nearly all. */
function stepHours(job: Generation, batch: number): Range {
  const { total, active } = countParameters(job.shape);
  const context = job.meanPrompt + job.meanReply / 2;
  const bytes = 2 * total + batch * context * kvBytesPerToken(job.shape);
  const seconds = bytes / (job.tp * job.card.bandwidthGbs * 1e9);
  const reading = { low: seconds / BANDWIDTH_UTILISATION.high, high: seconds / BANDWIDTH_UTILISATION.low };
  const computing = hoursFor(2 * active * batch, job.tp, job.card, RL_UTILISATION);
  const hours = scale(reading, 1 / 3600);
  return { low: Math.max(hours.low, computing.low), high: Math.max(hours.high, computing.high) };
}

const prefillFlops = (job: Generation, prompts: number): number =>
  2 * countParameters(job.shape).active * prompts * job.meanPrompt;
