import { expect, test } from 'vitest';
import { gpu, needs, node, nvidia } from '../testing.ts';
import { driversAlikeCheck } from './drivers-alike.ts';

const want = needs({ gangs: true, gpus: { perNode: 1, kind: null, memoryGb: 0 } });

function on(...drivers: (string | null)[]) {
  return drivers.map((driver, i) => node({ gpus: nvidia([gpu()], { driver }) }, { node: `n${i}` }));
}

test('nodes with one driver are alike', () => {
  expect([...driversAlikeCheck.of(on('580.1', '580.1', '580.1'), want)]).toEqual([]);
});

test('the one that differs from most is named, wherever it stands', () => {
  const found = driversAlikeCheck.of(on('570.2', '580.1', '580.1'), want);
  expect([...found]).toEqual([
    [
      'n0',
      [
        {
          status: 'warn',
          what: '570.2; n1 has 580.1',
          remedy: 'Give all nodes of a job the same driver.',
        },
      ],
    ],
  ]);
});

test('of two that differ, one is named', () => {
  expect([...driversAlikeCheck.of(on('570.2', '580.1'), want).keys()]).toEqual(['n1']);
});

test('a node without a driver, or that did not say, is left to its own check', () => {
  const nodes = [...on('580.1', null), node({ gpus: { late: 3 } }, { node: 'n2' })];
  expect([...driversAlikeCheck.of(nodes, want)]).toEqual([]);
});
