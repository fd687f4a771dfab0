import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { costOf, diskTerms, each, figureOf, gpuTerms, P, whyOf } from './testing-costs.ts';
import { type Edit, lora, megatronSft, sftOption, zero3 } from './testing-edits.ts';

describe('LoRA', () => {
  const full = figureOf(costOf('sft', zero3).compute).flops;

  it('trains adapters in 32 bits beside frozen weights in 16, and saves the adapters alone', () => {
    const cost = costOf('sft', lora);
    const terms = gpuTerms(cost);
    expect(each(terms['frozen weights'])).toBeCloseTo(2, 9);
    expect((terms['optimizer'] ?? 0) / (terms['weights'] ?? 1)).toBe(2);
    expect(Object.keys(diskTerms(cost))).toEqual(['adapters', 'optimizer']);
    expect(figureOf(cost.disk).checkpoint.total).toBe(3 * (terms['weights'] ?? 0));
  });

  it('costs three quarters of the FLOPs with recomputed layers, two thirds without', () => {
    const flops = (...edits: Edit[]): number => figureOf(costOf('sft', ...edits).compute).flops;
    expect(flops(lora) / full).toBeGreaterThan(0.75);
    expect(flops(lora) / full).toBeLessThan(0.78);
    const plain = sftOption('gradient_checkpointing: false');
    const kept = (edit: Edit): Edit => [
      edit[0],
      edit[1].replace('tuner_type: lora', 'tuner_type: lora\n      gradient_checkpointing: false'),
    ];
    expect(flops(kept(lora)) / flops(plain)).toBeGreaterThan(2 / 3);
    expect(flops(kept(lora)) / flops(plain)).toBeLessThan(0.7);
    expect(flops(plain)).toBeGreaterThan(6 * P * 3e7);
  });

  it('counts the matrices that are named, and no others', () => {
    const adapters = (line: string): number =>
      diskTerms(costOf('sft', sftOption(`tuner_type: lora\n      ${line}`)))['adapters'] ?? 0;
    const { layers, hidden } = KNOWN_SHAPES['qwen3-8b'];
    // Of q 4096 × 4096, of v 4096 × 1024; rank 8, 4 bytes.
    expect(adapters('target_modules: [q_proj, v_proj]')).toBe(4 * 8 * layers * (2 * hidden + hidden + 1024));
    expect(adapters('target_modules: [all-linear]')).toBe(adapters('lora_rank: 8'));
    expect(adapters('target_modules: [all-linear]')).toBeGreaterThan(
      3 * adapters('target_modules: [q_proj, v_proj]'),
    );
  });

  it.each([
    ['target_modules: [q_proj, lm_head]', 'lm_head'],
    ['modules_to_save: [embed_tokens]', 'modules_to_save'],
    ['use_dora: true', 'use_dora'],
    ['target_regex: ".*proj"', 'target_regex'],
  ])('with %s its size is not known', (line, why) => {
    const cost = costOf('sft', sftOption(`tuner_type: lora\n      ${line}`));
    for (const figure of [cost.memory, cost.disk, cost.compute]) expect(whyOf(figure)).toContain(why);
  });

  it.each(['adalora', 'llamapro', 'longlora', 'reft', 'vera', 'boft'])('is not %s', (tuner) => {
    expect(whyOf(costOf('sft', sftOption(`tuner_type: ${tuner}`)).memory)).toContain(`tuner_type: ${tuner}`);
  });

  it('in Megatron saves adapters to go on from, and the merged weights', () => {
    const edits = megatronSft;
    const cost = costOf('sft', ...edits, ['lr: 3.0e-3', 'lr: 3.0e-3\n      tuner_type: lora']);
    expect(each(diskTerms(cost)['safetensors'])).toBe(2);
    expect(each(figureOf(cost.disk).checkpoint.total)).toBeLessThan(2.1);
  });
});

describe('QLoRA', () => {
  const bits = (line: string): Edit => sftOption(`tuner_type: lora\n      quant_method: bnb\n      ${line}`);
  const frozen = (line: string): number => each(gpuTerms(costOf('sft', bits(line)))['frozen weights']);

  it('holds linear layers in half a byte or in one, with their scales, and embeddings in two', () => {
    const { embedding } = countParameters(KNOWN_SHAPES['qwen3-8b']);
    const four = frozen('quant_bits: 4') * P - 4 * embedding;
    expect(four / (P - 2 * embedding)).toBeCloseTo(0.516, 3);
    const eight = frozen('quant_bits: 8') * P - 4 * embedding;
    expect(eight / (P - 2 * embedding)).toBeCloseTo(1.001, 3);
    expect(frozen('quant_bits: 4\n      bnb_4bit_use_double_quant: false')).toBeGreaterThan(
      frozen('quant_bits: 4'),
    );
  });

  it('is not switched on by `quant_bits` alone, as in ms-swift', () => {
    const cost = costOf('sft', sftOption('tuner_type: lora\n      quant_bits: 4'));
    expect(each(gpuTerms(cost)['frozen weights'])).toBe(2);
  });

  it('is not modelled by other methods, with split weights, or in full', () => {
    const hqq = sftOption('tuner_type: lora\n      quant_method: hqq\n      quant_bits: 4');
    expect(whyOf(costOf('sft', hqq).memory)).toContain('hqq');
    expect(whyOf(costOf('sft', bits('quant_bits: 4'), zero3).memory)).toContain('split');
    const full = sftOption('quant_method: bnb\n      quant_bits: 4');
    expect(whyOf(costOf('sft', full).memory)).toContain('not trained in full');
  });
});
