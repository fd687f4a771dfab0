import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from './known-shapes.ts';
import { estimateRlMemory } from './rl-memory.ts';
import { rlNeeds } from './rl-needs.ts';
import { rolloutCache } from './rollout-cache.ts';
import { sumOf } from './term.ts';
import { rlJob } from './testing-jobs.ts';
import { GIB } from './units.ts';
import { judge } from './verdict.ts';

const shape = KNOWN_SHAPES['qwen3-32b'];

describe("an engine's cache", () => {
  it.each([
    [0.4, 0.66],
    [0.6, 1.18],
  ])('at %d of an 80 GB card holds %d million tokens of Qwen3-32B in TP 8', (utilisation, millions) => {
    const cache = rolloutCache(shape, { tp: 8, utilisation, gpus: 16 }, 80, 32_768);
    expect(cache.tokensPerReplica / 1e6).toBeCloseTo(millions, 2);
    expect(cache.fullReplies).toBe(Math.floor(cache.tokensPerReplica / 32_768));
    expect(cache.replicas).toBe(2);
  });

  it('without room for one conversation is out of memory', () => {
    const job = rlJob({
      rollout: { placement: 'colocated', tp: 1, utilisation: 0.6, gpus: 8, sleeps: true },
    });
    const judgement = judge(rlNeeds(job, { cardGb: 80, hostMemory: 4000 * GIB }));
    expect(estimateRlMemory(job, 80).cache.fullReplies).toBe(0);
    expect(judgement).toMatchObject({ verdict: 'out-of-memory', decides: { where: 'rollout engine' } });
  });

  it('is not split finer than the heads of keys', () => {
    const at = (tp: number): number => {
      const room = { tp, utilisation: 1, gpus: 16 };
      return (rolloutCache(shape, room, 80, 1).tokensPerReplica * (256 * 1024)) / Math.min(tp, 8);
    };
    expect(at(16) / GIB).toBeCloseTo(79.2 - (2 * 32_762_123_264) / 16 / GIB - 4, 3);
  });
});

describe('a colocated job', () => {
  const moment = (job: Parameters<typeof estimateRlMemory>[0], name: string) => {
    const found = estimateRlMemory(job, 80).moments.find((one) => one.name === name);
    return {
      total: found?.total ?? Number.NaN,
      terms: Object.fromEntries(found?.terms.map((one) => [one.name, one.bytes]) ?? []),
    };
  };

  it('on 8 GPUs has no room to generate while its states are on the GPU', () => {
    const resident = rlJob({ between: { weights: false, optimizer: false } });
    expect(moment(resident, 'rollout').total / GIB).toBeGreaterThan(80);
    expect(moment(rlJob(), 'rollout').total / GIB).toBeCloseTo(0.6 * 79.2 + 3, 3);
  });

  it('needs for its update all that was moved away before it', () => {
    const update = (job: ReturnType<typeof rlJob>) => moment(job, 'step').total;
    expect(update(rlJob())).toBe(update(rlJob({ between: { weights: false, optimizer: false } })));
  });

  it('holds a reference for good, or only while that computes', () => {
    const reference = { kind: 'sharded', bytesPerParameter: 2, offloaded: false } as const;
    const bytes = (2 * 32_763_876_352) / 8;
    expect(moment(rlJob({ reference }), 'rollout').terms['reference']).toBe(bytes);
    expect(moment(rlJob({ reference }), 'loss').terms['reference']).toBe(bytes);
    const away = rlJob({ reference: { ...reference, offloaded: true } });
    expect(moment(away, 'loss').terms['reference']).toBeUndefined();
    expect(moment(away, 'reference').terms['reference']).toBe(bytes);
    expect(estimateRlMemory(away, 80).hostPerNode.total).toBe(8 * bytes + 12 * 32_763_876_352);
  });

  it('pays for an engine that does not sleep, and for a reward model beside it', () => {
    const awake = rlJob({ rollout: { ...rlJob().rollout, sleeps: false } });
    expect(moment(awake, 'loss').total - moment(rlJob(), 'loss').total).toBeGreaterThan(40 * GIB);
    const reward = {
      shape,
      tp: 2,
      utilisation: 0.3,
      gpus: 8,
      longest: 8192,
      placement: 'colocated',
      sleeps: true,
    } as const;
    const scored = rlJob({ reward });
    expect(moment(scored, 'rollout').terms['reward engine']).toBe(0.3 * 79.2 * GIB);
    const apart = rlJob({ reward: { ...reward, placement: 'separate', utilisation: 0.9 } });
    expect(moment(apart, 'rollout').total).toBe(moment(rlJob(), 'rollout').total);
    expect(estimateRlMemory(apart, 80).rewardCache?.replicas).toBe(4);
  });

  it('moving more away never needs more of a GPU, and terms add up', () => {
    const flags = fc.record({ weights: fc.boolean(), optimizer: fc.boolean() });
    const sizes = fc.record({
      gpus: fc.constantFrom(8, 16, 64),
      sequenceLength: fc.integer({ min: 64, max: 65_536 }),
    });
    fc.assert(
      fc.property(
        flags,
        sizes,
        fc.double({ min: 0.1, max: 0.95, noNaN: true }),
        (between, actor, utilisation) => {
          const rollout = {
            placement: 'colocated',
            tp: 8,
            utilisation,
            gpus: actor.gpus,
            sleeps: true,
          } as const;
          const estimate = estimateRlMemory(rlJob({ between, rollout }, actor), 80);
          for (const one of estimate.moments) {
            expect(one.total).toBe(sumOf(one.terms));
            expect(one.terms.every(({ bytes }) => Number.isFinite(bytes) && bytes >= 0)).toBe(true);
          }
          const away = estimateRlMemory(rlJob({ rollout }, actor), 80);
          expect(away.peak.total).toBeLessThanOrEqual(estimate.peak.total);
        },
      ),
    );
  });
});
