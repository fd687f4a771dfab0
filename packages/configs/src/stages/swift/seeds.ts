import type { Reproducibility, SeedSource } from '../../seeds/table.ts';
import type { Machine } from '../../study/target-schema.ts';
import { worldSize } from '../../study/target-schema.ts';
import type { SwiftCommand } from './command.ts';

const dataSeed: SeedSource = {
  source: 'data_seed',
  drives: 'order of the rows in every epoch',
  effect: 'effective',
};
const hashSeed: SeedSource = { source: 'PYTHONHASHSEED', drives: 'order of Python sets', effect: 'inert' };

/** Every random source of one ms-swift run. What it cannot seed is listed too. */
export function swiftSeedSources(
  command: SwiftCommand,
  settings: { tuner: unknown; method: string | null; sampledBy: 'vllm' | 'trainer' | null },
): SeedSource[] {
  const fresh = settings.tuner !== 'full' || settings.method === 'rm';
  const seed: SeedSource = {
    source: 'seed',
    drives: fresh
      ? 'new parameters (adapters, heads) and dropout'
      : 'dropout and new parameters; a plain full fine-tuning has neither',
    effect: fresh || settings.sampledBy !== null ? 'effective' : 'inert',
  };
  const sampling: SeedSource[] =
    settings.sampledBy === null
      ? []
      : [{ source: 'sampling of replies', drives: 'tokens of the replies', effect: 'unseeded' }];
  return command.startsWith('megatron-')
    ? [
        { ...seed, drives: 'order of the rows, new parameters and dropout', effect: 'effective' },
        hashSeed,
        ...sampling,
      ]
    : [dataSeed, seed, hashSeed, ...sampling];
}

/** What the seeds of an ms-swift run fix. Only one CPU process was measured to give the same bits. */
export function swiftReproducibility(machine: Machine, sampled: boolean): Reproducibility {
  if (sampled)
    return { level: 'seeded', why: 'replies are sampled while training, and nothing seeds the sampler' };
  if (machine.gpusPerNode === 0 && machine.nodes > 1) {
    const why = `same rows in the same order on ${machine.nodes} nodes; the order of their sums is not fixed`;
    return { level: 'seeded', why };
  }
  if (machine.gpusPerNode === 0) {
    return {
      level: 'bitwise',
      why: 'one process on one CPU, fixed thread count: the same seeds give the same bits',
    };
  }
  const ranks = worldSize(machine);
  const why = `same rows in the same order on ${ranks} GPUs; atomics, flash attention and the order of collectives are not fixed`;
  return { level: 'seeded', why };
}
