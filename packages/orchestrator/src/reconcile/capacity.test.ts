import type { Job } from '@her/configs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Room } from './capacity.ts';
import { chain } from './testing.ts';

const [one] = chain().jobs;
if (one === undefined) throw new Error('the fixture has a job');
const needing = (nodes: number, cores: number): Job => ({
  ...one,
  resources: { cores, memoryGb: 1, nodes, gpus: 0 },
});
const hosts = (...cores: number[]) =>
  cores.map((free, i) => ({ node: `h${i + 1}`, cores: free, memoryGb: 8, gpus: 0 }));

test('single jobs spread over the nodes; what reads from a node goes there', () => {
  const room = new Room(hosts(2, 2));
  const first = room.placeFor(needing(1, 1), new Set());
  expect(first).toEqual(['h1']);
  room.take(needing(1, 1), first ?? []);
  expect(room.placeFor(needing(1, 1), new Set())).toEqual(['h2']);
  expect(room.placeFor(needing(1, 1), new Set(['h1']))).toEqual(['h1']);
});

test('a gang takes its nodes in the order of the target, or none', () => {
  const room = new Room(hosts(4, 8, 4));
  expect(room.placeFor(needing(2, 4), new Set(['h3']))).toEqual(['h2', 'h3']);
  expect(room.placeFor(needing(3, 4), new Set())).toEqual(['h1', 'h2', 'h3']);
  expect(room.placeFor(needing(2, 5), new Set())).toBeUndefined();
});

test('whatever is placed, no node is given more than it has, and no node twice to one job', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.record({ nodes: fc.integer({ min: 1, max: 4 }), cores: fc.integer({ min: 1, max: 6 }) })),
      (cores, jobs) => {
        const room = new Room(hosts(...cores));
        const used = new Map<string, number>();
        for (const { nodes, cores: each } of jobs) {
          const placed = room.placeFor(needing(nodes, each), new Set());
          if (placed === undefined) continue;
          expect(new Set(placed).size).toBe(nodes);
          room.take(needing(nodes, each), placed);
          for (const node of placed) used.set(node, (used.get(node) ?? 0) + each);
        }
        for (const [i, had] of cores.entries()) expect(used.get(`h${i + 1}`) ?? 0).toBeLessThanOrEqual(had);
      },
    ),
  );
});
