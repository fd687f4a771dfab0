import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { costOf, each, figureOf, gpuTerms, whyOf } from './testing-costs.ts';
import { megatronSft, sftOption, zero3 } from './testing-edits.ts';

describe('ms-swift in full', () => {
  it('under ZeRO-3 splits 2 + 2 + 12 bytes a parameter over the GPUs, and saves 14', () => {
    const cost = costOf('sft', zero3);
    const terms = gpuTerms(cost);
    expect(each(terms['weights'], 8)).toBeCloseTo(2, 9);
    expect(each(terms['gradients'], 8)).toBeCloseTo(2, 9);
    expect(each(terms['optimizer'], 8)).toBeCloseTo(12, 9);
    expect(each(figureOf(cost.disk).checkpoint.total)).toBeCloseTo(14, 9);
    expect(figureOf(cost.steps)).toEqual({ low: 1875, high: 1875 });
  });

  it('under Megatron cuts by tensor parallelism, recomputes what it is told to, and saves 16 bytes', () => {
    const cost = costOf('sft', ...megatronSft);
    expect(each(gpuTerms(cost)['weights'], 8)).toBeCloseTo(2, 2);
    expect(each(gpuTerms(cost)['gradients'], 8)).toBeCloseTo(4, 2);
    expect(each(figureOf(cost.disk).checkpoint.total)).toBeCloseTo(16, 9);
    expect(figureOf(cost.steps)).toEqual({ low: 1875, high: 1875 });
  });

  it('knows a mixture of experts by its name: less is computed than held', () => {
    const cost = costOf('sft', zero3, ['/models/Qwen3-8B', '/models/Qwen3-30B-A3B']);
    const moe = countParameters(KNOWN_SHAPES['qwen3-30b-a3b']);
    expect(moe.total / moe.active).toBeGreaterThan(8);
    expect(gpuTerms(cost)['weights']).toBeCloseTo((2 * moe.total) / 8, 0);
    const { flops, assumptions } = figureOf(cost.compute);
    expect(flops / figureOf(costOf('sft', zero3).compute).flops).toBeLessThan(0.6);
    expect(assumptions[0]?.name).toContain('mixture of experts');
  });

  it('does not say what freezing leaves', () => {
    expect(whyOf(costOf('sft', sftOption('freeze_parameters_ratio: 0.5')).memory)).toContain('freezes');
  });
});
