import { expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { loadStudy } from '../load/load.ts';
import { edited } from '../testing.ts';
import { shapeOf } from './shape-of.ts';

const start = 'start: { output: prepare.model,';
const moe = KNOWN_SHAPES['qwen3-30b-a3b'];

function shapeFrom(model: string) {
  const loaded = loadStudy(
    edited([start, `start: { ${model},`], ['[start, sft, rl]', '[sft, rl]']),
    'study.yaml',
    { exists: () => true },
  );
  const [arm] = loaded.arms;
  return arm === undefined ? undefined : shapeOf(arm.study, 'rl');
}

it.each([
  'hub: Qwen/Qwen3-30B-A3B',
  'path: /models/Qwen3-30B-A3B-Instruct-2507',
  'path: /models/mine, shape: qwen3-30b-a3b',
  'path: /models/mine, shape: Qwen/Qwen3-30B-A3B-Base',
])('a mixture of experts is known with its experts by %s', (model) => {
  expect(shapeFrom(model)).toEqual(moe);
  expect(shapeFrom(model)?.experts).toEqual({ count: 128, active: 8, intermediate: 768 });
});

it('a model that the study builds has the shape that it is built with', () => {
  expect(shapeFrom('output: prepare.model')).toMatchObject({ layers: 3, hidden: 128, vocab: 768 });
});

it('a name that says nothing is no shape', () => {
  expect(shapeFrom('path: /models/mine')).toBeUndefined();
});
