/** Optimizer steps of a supervised fine-tuning. */
export type StepsJob = {
  /** Rows that are left after encoding: rows that are too long may have been deleted */
  rows: number;
  epochs: number;
  perDeviceBatch: number;
  /** gradient_accumulation_steps; undefined leaves it to ms-swift, which then aims at 16 rows a step */
  accumulation?: number;
  /** GPUs divided by those that share a row */
  dataParallel: number;
  /** GPUs that share a row: ms-swift's sampler for them rounds the rows up instead of down. Default 1 */
  sequenceParallel?: number;
  dropLast?: boolean;
};

/** Steps with what they are made of. `batches` are forward passes of one rank in an epoch. */
export type Steps = {
  rowsPerRank: number;
  batches: number;
  accumulation: number;
  stepsPerEpoch: number;
  total: number;
};

/**
 * Counts as ms-swift 4.6.0 and transformers 5 do: each rank takes ⌊rows / ranks⌋ rows and what is over is left out
 * (`BatchSamplerShard`), its last batch may be short, the last step of an epoch may hold fewer batches, and
 * max_steps = ⌈epochs × steps⌉ (`set_initial_training_values`).
 *
 * The HER paper's 342,493 rows by 32 give 10,702 an epoch and 42,808 in four, rounded down. The trainer agrees with
 * 32 ranks of one row; it says 10,703 and 42,812 when 32 is 8 ranks × 4 passes, because it steps on the rest.
 */
export function countSteps(job: StepsJob): Steps {
  const { rows, epochs, perDeviceBatch, dataParallel } = job;
  const shared = (job.sequenceParallel ?? 1) > 1;
  const each = rows / dataParallel;
  const rowsPerRank = shared ? Math.ceil(each) : Math.floor(each);
  const perRank = rowsPerRank / perDeviceBatch;
  const batches = job.dropLast ? Math.floor(perRank) : Math.ceil(perRank);
  const world = dataParallel * (job.sequenceParallel ?? 1);
  const accumulation = job.accumulation ?? Math.max(1, Math.ceil(16 / perDeviceBatch / world));
  const stepsPerEpoch = Math.max(Math.ceil(batches / accumulation), 1);
  return { rowsPerRank, batches, accumulation, stepsPerEpoch, total: Math.ceil(epochs * stepsPerEpoch) };
}

/** Iterations of Megatron-SWIFT: whole global batches only, over all epochs together (`init_iters`). */
export function countMegatronSteps(job: {
  rows: number;
  epochs: number;
  microBatch: number;
  dataParallel: number;
  globalBatch: number;
}): number {
  const wave = job.microBatch * job.dataParallel;
  const rows = Math.floor(job.rows / wave) * wave;
  return Math.floor((rows * job.epochs) / job.globalBatch);
}

/** At least how full packs are on average. ms-swift packs by bins; 90 % is an assumption, not a measurement. */
export const PACK_FILL = 0.9;

/**
 * How many packs rows make: from packs without a gap to packs filled to `PACK_FILL`. Never more than rows, since a
 * pack holds at least one. A pack then counts as a row in `countSteps`.
 */
export function countPacks(
  rows: number,
  meanTokens: number,
  packLength: number,
): { low: number; high: number } {
  const full = (rows * meanTokens) / packLength;
  const low = Math.min(rows, Math.ceil(full));
  return { low, high: Math.min(rows, Math.ceil(full / PACK_FILL)) };
}
