import { countAdapterParameters } from './adapter-size.ts';
import { CARDS, type Card, type CardName } from './cards.ts';
import { countParameters, type ModelShape, queryWidth } from './model-shape.ts';
import type { Tuning } from './training-job.ts';

/** A number that is assumed, not measured, from low to high. */
export type Assumption = { name: string; low: number; high: number; why: string };

/** From the best to the worst that the assumptions allow. */
export type Range = { low: number; high: number };

/** What a job computes and how long it may take. GPU-hours are those of all GPUs together. */
export type Compute = {
  tokens: number;
  flops: number;
  hours: Range;
  gpuHours: Range;
  assumptions: Assumption[];
};

/** Of a card's peak, what training reaches. Published runs of dense models lie between (arXiv 2205.05198, §6.3). */
export const SFT_UTILISATION: Assumption = {
  name: 'model FLOPs utilisation, training',
  low: 0.3,
  high: 0.5,
  why: 'assumed for dense models on one fast network; measure the first steps',
};

/** Updates in RL are smaller and unevenly long. */
export const RL_UTILISATION: Assumption = {
  name: 'model FLOPs utilisation, RL passes',
  low: 0.2,
  high: 0.4,
  why: 'assumed; rows of uneven length, weights moved between phases',
};

/** Experts multiply small matrices and send tokens to each other. */
export const EXPERTS_UTILISATION: Assumption = {
  name: 'model FLOPs utilisation, mixture of experts',
  low: 0.1,
  high: 0.3,
  why: 'assumed; small matrices and traffic between experts',
};

/** Passes over a token, in forward passes: one forward, two backward, and one more when layers are recomputed. */
export const PASSES = { forward: 1, train: 3, trainRecomputed: 4 } as const;

/**
 * FLOPs of `tokens` in rows of `length` tokens: 2 a parameter and forward pass (arXiv 2001.08361; 6PT in all), and
 * for causal attention 2 × length × query width a layer (arXiv 2204.02311, appendix B, halved for the mask).
 */
export function flopsOf(shape: ModelShape, tokens: number, length: number, passes: number): number {
  const weights = 2 * countParameters(shape).active;
  const attention = 2 * shape.layers * length * queryWidth(shape);
  return passes * tokens * (weights + attention);
}

/**
 * FLOPs of training on `tokens`. Frozen weights have no gradient of their own: forward, backward to what is below, and
 * once more where layers are recomputed (4PT, or 6PT). Attention has no weights, so all of its passes stay, and
 * adapters take all three. Of experts a token passes through the active ones' adapters.
 */
export function trainingFlops(job: {
  shape: ModelShape;
  tokens: number;
  meanLength: number;
  recompute: boolean;
  tuning?: Tuning;
}): number {
  const { shape, tokens, meanLength, tuning } = job;
  const passes = job.recompute ? PASSES.trainRecomputed : PASSES.train;
  const full = flopsOf(shape, tokens, meanLength, passes);
  if (tuning === undefined || tuning.kind === 'full') return full;
  const { experts } = shape;
  const met = experts ? { ...shape, experts: { ...experts, count: experts.active } } : shape;
  const adapters = passes * 2 * countAdapterParameters(met, tuning) * tokens;
  return full - 2 * countParameters(shape).active * tokens + adapters;
}

/** Hours for FLOPs on `gpus` cards at a utilisation; low is at the high utilisation. */
export function hoursFor(flops: number, gpus: number, card: Card, utilisation: Assumption): Range {
  const perHour = gpus * card.tflops * 1e12 * 3600;
  return { low: flops / (perHour * utilisation.high), high: flops / (perHour * utilisation.low) };
}

/** The utilisation that is assumed for a model. */
export function utilisationFor(shape: ModelShape, dense: Assumption): Assumption {
  return shape.experts ? EXPERTS_UTILISATION : dense;
}

/** A fine-tuning: `tokens` over all epochs, in sequences of `meanLength`; `forward`: passes more, without a gradient. */
export function estimateTrainingCompute(job: {
  shape: ModelShape;
  tokens: number;
  meanLength: number;
  recompute: boolean;
  tuning?: Tuning;
  forward?: number;
  gpus: number;
  card: CardName;
}): Compute {
  const forward = flopsOf(job.shape, job.tokens, job.meanLength, job.forward ?? 0);
  const flops = trainingFlops(job) + forward;
  const utilisation = utilisationFor(job.shape, SFT_UTILISATION);
  const hours = hoursFor(flops, job.gpus, CARDS[job.card], utilisation);
  return { tokens: job.tokens, flops, hours, gpuHours: scale(hours, job.gpus), assumptions: [utilisation] };
}

/** A range times a number. */
export const scale = (range: Range, by: number): Range => ({ low: range.low * by, high: range.high * by });

/** The sum of ranges. */
export function addRanges(ranges: readonly Range[]): Range {
  return ranges.reduce((sum, one) => ({ low: sum.low + one.low, high: sum.high + one.high }), {
    low: 0,
    high: 0,
  });
}
