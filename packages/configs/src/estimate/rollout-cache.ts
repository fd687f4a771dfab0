import { usableBytes } from './cards.ts';
import { countParameters, kvBytesPerToken, type ModelShape } from './model-shape.ts';
import { type Term, term } from './term.ts';
import { GIB } from './units.ts';
import type { Need } from './verdict.ts';

/** A generation engine (vLLM, SGLang): GPUs of one replica, and its share of a card's memory. */
export type Engine = { tp: number; utilisation: number; gpus: number };

/** What an engine can hold at once. Tokens are those of one replica. */
export type RolloutCache = {
  replicas: number;
  tokensPerReplica: number;
  /** Conversations of the longest prompt and reply that fit into one replica at once */
  fullReplies: number;
};

/** What an engine needs beside weights and cache: its own activations, graphs, buffers. An assumption. */
const ENGINE_OVERHEAD = 4 * GIB;

/** Bytes of cache that one token takes on one GPU. Heads cannot be split further than one a GPU. */
const tokenBytes = (shape: ModelShape, tp: number): number =>
  kvBytesPerToken(shape) / Math.min(tp, shape.kvHeads);

/** Bytes of 2-byte weights on one GPU of a replica. */
export const engineWeights = (shape: ModelShape, tp: number): number =>
  (2 * countParameters(shape).total) / tp;

/** How many tokens, and how many whole conversations, an engine's cache holds. */
export function rolloutCache(
  shape: ModelShape,
  engine: Engine,
  cardGb: number,
  longest: number,
): RolloutCache {
  const { tp, utilisation, gpus } = engine;
  const free = utilisation * usableBytes(cardGb) - engineWeights(shape, tp) - ENGINE_OVERHEAD;
  const tokensPerReplica = Math.max(0, Math.floor(free / tokenBytes(shape, tp)));
  return {
    replicas: Math.floor(gpus / tp),
    tokensPerReplica,
    fullReplies: Math.floor(tokensPerReplica / longest),
  };
}

/** The least that an engine needs of its share: weights, its own buffers, and one whole conversation. */
export function engineNeed(
  where: string,
  shape: ModelShape,
  engine: Engine,
  cardGb: number,
  longest: number,
): Need {
  const { tp, utilisation } = engine;
  const terms: Term[] = [
    term('engine weights', engineWeights(shape, tp), `2 bytes × parameters over ${tp} GPUs`),
    term('engine buffers', ENGINE_OVERHEAD, 'activations, graphs: assumed'),
    term('one conversation', longest * tokenBytes(shape, tp), `cache of ${longest} tokens`),
  ];
  const needed = terms.reduce((sum, one) => sum + one.bytes, 0);
  return { where, moment: 'rollout', terms, needed, capacity: utilisation * usableBytes(cardGb) };
}
