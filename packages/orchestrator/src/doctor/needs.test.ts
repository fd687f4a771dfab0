import { costKey, type JobCost, type Plan, planCosts } from '@her/configs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diskNeed } from './needs.ts';
import { plannedStudy } from './testing-study.ts';

const { loaded, plan } = plannedStudy();
const costs: ReadonlyMap<string, JobCost> = planCosts(loaded, plan);
const [first] = plan.jobs;
if (first === undefined) throw new Error('the study has no job');
const sound = costs.get(costKey(first));
if (sound === undefined || !sound.disk.known) throw new Error('its disk is not known');
const { value } = sound.disk;

/** Jobs of these peaks in bytes; undefined where it is not known. */
function jobs(...peaks: (number | undefined)[]): [Pick<Plan, 'jobs'>, ReadonlyMap<string, JobCost>] {
  const all = peaks.map((_, i) => ({ ...first, stage: `s${i}` }) as Plan['jobs'][number]);
  const known = all.map((job, i): [string, JobCost] => {
    const peak = peaks[i];
    const disk: JobCost['disk'] =
      peak === undefined ? { known: false, why: 'stub' } : { known: true, value: { ...value, peak } };
    return [costKey(job), { ...(sound as JobCost), disk }];
  });
  return [{ jobs: all }, new Map(known)];
}

test('each job has a cost of its own in these tests', () => {
  const [{ jobs: two }, map] = jobs(1, 2);
  expect([two.length, map.size]).toEqual([2, 2]);
});

test('on shared storage, or one node, the checkpoints of all jobs add up', () => {
  expect(diskNeed(...jobs(10, 20, 30), 4, 'shared').bytes).toBe(60);
  expect(diskNeed(...jobs(10, 20, 30), 1, 'own').bytes).toBe(60);
});

test('nodes with folders of their own share the jobs, and any of them may get the largest', () => {
  expect(diskNeed(...jobs(10, 20, 30), 2, 'own').bytes).toBe(60 / 2 + 30);
  fc.assert(
    fc.property(
      fc.array(fc.nat(1e9), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 2, max: 8 }),
      (sizes, n) => {
        // The fullest node of nodes that take the next job when they are free, whatever the order.
        const held = Array.from({ length: n }, () => 0);
        for (const size of sizes) held[held.indexOf(Math.min(...held))] = Math.min(...held) + size;
        expect(diskNeed(...jobs(...sizes), n, 'own').bytes).toBeGreaterThanOrEqual(Math.max(...held) - 1e-6);
      },
    ),
  );
});

test('stages whose checkpoints cannot be told are named once, and count as nothing', () => {
  const [{ jobs: all }, map] = jobs(10, undefined);
  const twice = { jobs: [...all, ...all.slice(1)] };
  expect(diskNeed(twice, map, 1, 'own')).toMatchObject({ bytes: 10, unknown: ['s1'] });
});

test('a stage that writes no checkpoints is not missed', () => {
  const [{ jobs: all }, map] = jobs(undefined);
  const none = { jobs: all.map((job) => ({ ...job, checkpoints: null })) };
  expect(diskNeed(none, map, 1, 'own')).toMatchObject({ bytes: 0, unknown: [], inodes: 200 });
});

test('more ranks write more files', () => {
  const [{ jobs: all }, map] = jobs(10);
  const at = (worldSize: number) =>
    diskNeed(
      {
        jobs: all.map((job) => ({
          ...job,
          checkpoints: { format: 'swift' as const, path: 'out', worldSize },
        })),
      },
      map,
      1,
      'own',
    ).inodes;
  expect(at(64)).toBeGreaterThan(at(8));
});

test('no jobs need nothing', () => {
  expect(diskNeed({ jobs: [] }, costs, 3, 'own')).toEqual({ bytes: 0, unknown: [], inodes: 0 });
});
