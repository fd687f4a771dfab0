import { describe, expect, it } from 'vitest';
import { CARDS } from './cards.ts';
import { estimateTrainingCompute, flopsOf, PASSES } from './compute.ts';
import { generationHours } from './generation-time.ts';
import { KNOWN_SHAPES } from './known-shapes.ts';
import { estimateRlCompute, type RlComputeJob } from './rl-compute.ts';

const shape = KNOWN_SHAPES['qwen3-32b'];
const job = {
  shape,
  tokens: 342_493 * 3000 * 4,
  meanLength: 3000,
  recompute: true,
  gpus: 8,
  card: 'H100-80',
} as const;

describe('training', () => {
  it('is 6 FLOPs a parameter and token, 8 with recomputed layers, and attention on top', () => {
    const weights = flopsOf(shape, 1, 0, PASSES.train);
    expect(weights).toBe(6 * 32_762_123_264);
    expect(flopsOf(shape, 1, 0, PASSES.trainRecomputed)).toBe(8 * 32_762_123_264);
    const long = flopsOf(shape, 1, 32_768, PASSES.train) - weights;
    expect(long).toBe(6 * 64 * 32_768 * 8192);
  });

  it('of the HER example is about 1.1e21 FLOPs, and 95 h on 8 H100 at 40 % lie in the range', () => {
    const { flops, hours, gpuHours, assumptions } = estimateTrainingCompute(job);
    expect(flops / 1e21).toBeCloseTo(1.1, 1);
    expect(hours.low).toBeLessThan(95);
    expect(hours.high).toBeGreaterThan(95);
    expect(gpuHours.low).toBe(8 * hours.low);
    expect(assumptions.map((one) => [one.low, one.high])).toEqual([[0.3, 0.5]]);
  });

  it('of experts counts the active ones, and assumes less of the card', () => {
    const moe = estimateTrainingCompute({ ...job, shape: KNOWN_SHAPES['qwen3-30b-a3b'] });
    expect(moe.flops).toBeLessThan(estimateTrainingCompute(job).flops / 5);
    expect(moe.assumptions[0]?.high).toBe(0.3);
  });
});

describe('generation', () => {
  const one = {
    shape,
    conversations: 1,
    meanPrompt: 0,
    meanReply: 1000,
    longestReply: 1000,
    tp: 8,
    replicas: 1,
  };
  const h100 = CARDS['H100-80'];

  it('of one reply reads the weights once a token', () => {
    const seconds = generationHours({ ...one, concurrent: 1, card: h100 }).low * 3600;
    const reads = (1000 * 2 * 32_762_123_264) / (8 * 3350e9 * 0.7);
    expect(seconds / reads).toBeCloseTo(1, 1);
  });

  it('of many replies at once costs little more, until the card computes all the time', () => {
    const hours = (conversations: number) =>
      generationHours({ ...one, conversations, concurrent: 1e6, card: h100 }).low;
    expect(hours(16) / hours(1)).toBeLessThan(1.2);
    // One decoding step of 4096 replies is 2 × parameters × 4096 FLOPs, at 40 % of the peak.
    const computing = (1000 * 2 * 32_762_123_264 * 4096) / (8 * 989e12 * 0.4) / 3600;
    const cached = (1000 * (2 * 32_762_123_264 + 4096 * 500 * 256 * 1024)) / (8 * 3350e9 * 0.7) / 3600;
    expect(hours(4096)).toBeCloseTo(Math.max(computing, cached), 9);
    expect(computing).toBeGreaterThan(cached);
  });

  it('takes waves when the cache is full, and waits for the longest reply at worst', () => {
    const at = (concurrent: number) => generationHours({ ...one, conversations: 64, concurrent, card: h100 });
    expect(at(8).low).toBeGreaterThan(4 * at(64).low);
    const uneven = generationHours({ ...one, longestReply: 4000, concurrent: 1, card: h100 });
    expect(uneven.high).toBeGreaterThan(4 * uneven.low);
  });
});

describe('reinforcement learning', () => {
  const rl: RlComputeJob = {
    shape,
    steps: 100,
    prompts: 128,
    replies: 8,
    meanPrompt: 1000,
    meanReply: 1000,
    longestReply: 4000,
    recompute: true,
    oldLogProb: true,
    reference: false,
    rollout: { tp: 8, replicas: 2, concurrent: 128 },
    gpus: 16,
    card: 'H100-80',
  };

  it('is the sum of its phases', () => {
    const { hours, gpuHours, phases, tokens } = estimateRlCompute(rl);
    expect(tokens).toBe(100 * 128 * 8 * 2000);
    expect(hours.low).toBeCloseTo(
      phases.reduce((sum, phase) => sum + phase.hours.low, 0),
      9,
    );
    expect(gpuHours.high).toBe(16 * hours.high);
    expect(phases.every((phase) => phase.hours.low <= phase.hours.high)).toBe(true);
  });

  it('a reference costs a quarter of a recomputed update, a second pass of the judge doubles it', () => {
    const phase = (of: RlComputeJob, name: string) =>
      estimateRlCompute(of).phases.find((each) => each.name === name)?.hours.low ?? 0;
    const referred = { ...rl, reference: true };
    expect(phase(referred, 'update') / phase(referred, 'reference')).toBeCloseTo(4, 9);
    const reward = { ...rl.rollout, shape, meanPrompt: 3000, meanReply: 200, longestReply: 200, gpus: 8 };
    const once = { ...rl, reward: { ...reward, callsPerReply: 1 } };
    const twice = { ...rl, reward: { ...reward, callsPerReply: 2 } };
    expect(phase(twice, 'reward model') / phase(once, 'reward model')).toBeCloseTo(2, 9);
    expect(estimateRlCompute(once).gpuHours.low / estimateRlCompute(once).hours.low).toBeCloseTo(24, 9);
  });
});
