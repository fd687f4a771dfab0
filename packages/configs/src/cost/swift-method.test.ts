import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { costOf, each, figureOf, gpuTerms, needed, P, whyOf } from './testing-costs.ts';
import { type Edit, lora, megatronSft, method, sftOption, sftWord, zero3 } from './testing-edits.ts';

describe('preferences', () => {
  const sft = costOf('sft', zero3);

  it('DPO has two sequences a row and a reference beside the model, and computes a pass more', () => {
    const dpo = costOf('sft', method('dpo'), zero3);
    const long: Edit = ['max_length: 4096', 'max_length: 16384'];
    const terms = gpuTerms(costOf('sft', method('dpo'), zero3, long));
    const once = gpuTerms(costOf('sft', zero3, long));
    expect(each(terms['reference'], 8)).toBeCloseTo(2, 9);
    expect(terms['activations']).toBe(2 * (once['activations'] ?? 0));
    expect(terms['logits']).toBe(2 * (once['logits'] ?? 0));
    expect(figureOf(dpo.compute).tokens).toBe(2 * figureOf(sft.compute).tokens);
    expect(figureOf(dpo.compute).assumptions.at(-1)?.name).toBe('sequences of a row');
    expect(figureOf(dpo.compute).flops / figureOf(sft.compute).flops).toBeCloseTo((2 * 5) / 4, 9);
    expect(figureOf(dpo.disk).checkpoint.total).toBe(figureOf(sft.disk).checkpoint.total);
  });

  it('under ZeRO-2 the reference is whole on every GPU; with everything on the host it is there too', () => {
    const zero2 = costOf('sft', method('dpo'), sftWord('parallel: { sharding: zero2 }'));
    expect(each(gpuTerms(zero2)['reference'])).toBe(2);
    const host = costOf('sft', method('dpo'), sftWord('parallel: { sharding: zero3, offload: all }'));
    expect(gpuTerms(host)['reference']).toBeUndefined();
    const hostOfSft = costOf('sft', sftWord('parallel: { sharding: zero3, offload: all }'));
    expect(each(needed(host, 'host') - needed(hostOfSft, 'host'))).toBeCloseTo(2, 9);
  });

  it('DPO of adapters switches them off for the reference', () => {
    const dpo = costOf('sft', method('dpo'), lora);
    expect(gpuTerms(dpo)['reference']).toBeUndefined();
    const one = figureOf(costOf('sft', lora).compute).flops;
    expect(figureOf(dpo.compute).flops).toBeGreaterThan(2.4 * one);
  });

  it.each(['orpo', 'simpo', 'cpo'])('%s has pairs and no reference', (name) => {
    const cost = costOf('sft', method(name), zero3);
    expect(gpuTerms(cost)['reference']).toBeUndefined();
    expect(figureOf(cost.compute).flops).toBe(2 * figureOf(sft.compute).flops);
  });

  it('Megatron DPO has a reference unless it is free of one', () => {
    const edits: Edit[] = megatronSft.map(([from, to]) =>
      from === '    kind: sft\n'
        ? [from, '    kind: rlhf\n    method: dpo\n    trainer: megatron-swift\n']
        : [from, to],
    );
    expect(each(gpuTerms(costOf('sft', ...edits))['reference'], 8)).toBeCloseTo(2, 2);
    const free = costOf('sft', ...edits, ['lr: 3.0e-3', 'lr: 3.0e-3\n      reference_free: true']);
    expect(gpuTerms(free)['reference']).toBeUndefined();
  });

  it('a reward model has pairs, no logits, and no output matrix to save', () => {
    const cost = costOf('sft', method('rm'), zero3);
    const { embedding } = countParameters(KNOWN_SHAPES['qwen3-8b']);
    expect(figureOf(cost.disk).checkpoint.total).toBe(14 * (P - embedding));
    expect(gpuTerms(cost)['logits'] ?? 0).toBeLessThan(1e6);
  });

  it('the logits of a preference loss are never fused', () => {
    const liger = 'use_liger_kernel: true';
    const dpo = costOf('sft', method('dpo'), zero3, sftOption(liger));
    expect(needed(dpo, 'gpu')).toBe(needed(costOf('sft', method('dpo'), zero3), 'gpu'));
    expect(needed(costOf('sft', zero3, sftOption(liger)), 'gpu')).toBeLessThan(needed(sft, 'gpu'));
  });

  it.each(['grpo', 'ppo', 'gkd'])('%s of ms-swift is not taken for supervised training', (name) => {
    const edits: Edit[] = [method(name), zero3];
    const asked = name === 'grpo' ? [sftOption('reward_funcs: [format]')] : [];
    const cost = costOf('sft', ...edits, ...asked);
    expect(whyOf(cost.memory)).toContain(`\`${name}\` writes replies while it trains`);
    expect(whyOf(cost.compute)).toBe(whyOf(cost.memory));
  });
});
