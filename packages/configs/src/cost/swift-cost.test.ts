import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import {
  costOf,
  diskTerms,
  type Edit,
  figureOf,
  gpuTerms,
  method,
  needed,
  sftOption,
  sftWord,
  whyOf,
} from './testing-costs.ts';

const { total: P, active } = countParameters(KNOWN_SHAPES['qwen3-8b']);
const zero3 = sftWord('parallel: { sharding: zero3 }');
const lora = sftOption('tuner_type: lora');
const optim = (name: string): Edit => ['optim: adamw_torch', `optim: ${name}`];
const megatron = (...words: string[]): Edit[] => [
  ['    kind: sft\n', '    kind: sft\n    trainer: megatron-swift\n'],
  sftWord(['resumable: true', ...words].join('\n    ')),
  [
    '      lr_scheduler_type: cosine\n      warmup_ratio: 0.05\n      weight_decay: 0.0\n      optim: adamw_torch',
    '      recompute_granularity: full\n      recompute_method: uniform\n      recompute_num_layers: 1',
  ],
  ['learning_rate: 3.0e-3', 'lr: 3.0e-3'],
];

/** Bytes of a term for each parameter of the model, of one GPU of eight. */
const each = (bytes: number | undefined, gpus = 1): number => ((bytes ?? 0) * gpus) / P;

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
    const cost = costOf('sft', ...megatron('parallel: { tensor: 8 }'));
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

describe('DeepSpeed that is written out', () => {
  const mapping = (more: string): Edit => sftOption(`deepspeed: { zero_optimization: { ${more} } }`);

  it('in a file is not read, so memory and checkpoint are unknown; steps and FLOPs do not need it', () => {
    const cost = costOf('sft', sftOption('deepspeed: /shared/ds.json'));
    expect(whyOf(cost.memory)).toBe('what the `deepspeed` file says is not read');
    expect(whyOf(cost.disk)).toBe('what the `deepspeed` file says is not read');
    expect([cost.steps.known, cost.compute.known]).toEqual([true, true]);
  });

  it('as a mapping is as its preset, with its offload', () => {
    expect(costOf('sft', mapping('stage: 3')).memory).toEqual(costOf('sft', zero3).memory);
    const offloaded = 'offload_optimizer: { device: cpu }';
    const all = costOf('sft', mapping(`stage: 3, ${offloaded}, offload_param: { device: cpu }`));
    const preset = costOf('sft', sftWord('parallel: { sharding: zero3, offload: all }'));
    expect(all.memory).toEqual(preset.memory);
    expect(needed(costOf('sft', mapping(`stage: 2, ${offloaded}`)), 'host')).toBeGreaterThan(0);
  });

  it.each([
    ['stage: 0', 'without ZeRO'],
    ['stage: 3, zero_hpz_partition_size: 8', 'zero_hpz_partition_size'],
    ['stage: 3, offload_optimizer: { device: nvme }', 'nvme'],
  ])('%s is not modelled', (written, why) => {
    expect(whyOf(costOf('sft', mapping(written)).memory)).toContain(why);
  });
});

describe('optimizers', () => {
  const states = (name: string, ...more: Edit[]): number =>
    each(gpuTerms(costOf('sft', optim(name), ...more))['optimizer']);

  it.each([
    ['sgd', 0],
    ['adafactor', 0.01],
    ['lion_32bit', 4],
    ['paged_adamw_32bit', 8],
    ['adamw_torch', 4],
  ])('%s keeps %d bytes a parameter beside 16-bit weights', (name, bytes) => {
    expect(states(name)).toBeCloseTo(bytes, 6);
  });

  it.each(['adamw_8bit', 'adamw_bnb_8bit', 'paged_adamw_8bit'])(
    '%s keeps two bytes, embeddings eight',
    (name) => {
      const { embedding } = countParameters(KNOWN_SHAPES['qwen3-8b']);
      const two = 2 + 8 / 256;
      expect(states(name)).toBeCloseTo((two * (P - embedding) + 8 * embedding) / P, 6);
    },
  );

  it('SGD with a momentum keeps it, and under ZeRO a copy in 32 bits stays', () => {
    expect(states('sgd', ['    save_every: 40', '    save_every: 40'], sftOptionAfter('sgd'))).toBeCloseTo(
      2,
      6,
    );
    expect(8 * states('sgd', zero3)).toBeCloseTo(4, 6);
    // A piece of a flat vector has neither rows nor columns.
    expect(8 * states('adafactor', zero3)).toBeCloseTo(8, 6);
  });

  it('decide what a checkpoint holds', () => {
    expect(each(diskTerms(costOf('sft', optim('lion_32bit')))['optimizer'])).toBeCloseTo(4, 6);
    expect(each(diskTerms(costOf('sft', optim('sgd'), zero3))['ZeRO shards'])).toBeCloseTo(4, 6);
    expect(diskTerms(costOf('sft', optim('sgd')))['optimizer']).toBeUndefined();
  });

  it.each(['galore_adamw', 'apollo_adamw', 'lomo', 'schedule_free_adamw'])(
    '%s: unknown is said, for memory and checkpoints; the FLOPs are known',
    (name) => {
      const cost = costOf('sft', optim(name));
      expect(whyOf(cost.memory)).toBe(`what \`optim: ${name}\` keeps for each parameter is not known`);
      expect(whyOf(cost.disk)).toBe(whyOf(cost.memory));
      expect(cost.compute.known).toBe(true);
      expect(costOf('sft', optim(name), sftWord('resumable: false')).disk.known).toBe(true);
    },
  );

  it('muon is not guessed, and neither is another optimizer on the host', () => {
    expect(whyOf(costOf('sft', sftOption('optimizer: muon')).memory)).toContain('optimizer: muon');
    const host = sftWord('parallel: { sharding: zero3, offload: all }');
    expect(whyOf(costOf('sft', optim('sgd'), host).memory)).toContain('on the host');
  });
});

/** `optim_args` beside an optimizer that has been put in place. */
function sftOptionAfter(name: string): Edit {
  return [`optim: ${name}`, `optim: ${name}\n      optim_args: momentum=0.9`];
}

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
    expect(flops(plain)).toBeGreaterThan(6 * active * 3e7);
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
    const edits = megatron('parallel: { tensor: 8 }');
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
    const edits: Edit[] = megatron('parallel: { tensor: 8 }').map(([from, to]) =>
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
