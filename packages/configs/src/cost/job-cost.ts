import type { CheckpointSize } from '../estimate/checkpoint-size.ts';
import type { Compute } from '../estimate/compute.ts';
import type { Remedy } from '../estimate/remedies.ts';
import type { Judgement } from '../estimate/verdict.ts';

/** A figure that may not be known, with what would make it known. */
export type Known<T> = { known: true; value: T } | { known: false; why: string };

export const known = <T>(value: T): Known<T> => ({ known: true, value });
export const unknown = (why: string): Known<never> => ({ known: false, why });

type Parts = Record<string, Known<unknown>>;
type Values<P extends Parts> = { [K in keyof P]: P[K] extends Known<infer V> ? V : never };

/** All of several figures, or the first reason why one is not known. */
export function allKnown<P extends Parts>(parts: P): Known<Values<P>> {
  for (const part of Object.values(parts)) if (!part.known) return part;
  const values = Object.entries(parts).map(([name, part]) => [name, part.known ? part.value : undefined]);
  return known(Object.fromEntries(values) as Values<P>);
}

/** From the least to the most; both the same where it is certain. */
export type Count = { low: number; high: number };

/** Memory of the fullest GPU, and of a host, with what would help. Bytes. */
export type MemoryCost = { judgement: Judgement; remedies: Remedy[] };

/** Bytes on disk: one checkpoint, and the most that stand there at once. */
export type DiskCost = { checkpoint: CheckpointSize; saves: Count; keep: number | null; peak: number };

/** What one job of a stage costs; the same for all its seeds. Nothing here is measured. */
export type JobCost = {
  memory: Known<MemoryCost>;
  steps: Known<Count>;
  disk: Known<DiskCost>;
  compute: Known<Compute>;
};
