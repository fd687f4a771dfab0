import type { FrozenWeights } from '../estimate/frozen-weights.ts';
import type { ModelShape } from '../estimate/model-shape.ts';
import type { Tuning } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { type Known, known, unknown } from './job-cost.ts';
import { loraTargets } from './lora-targets.ts';

type Context = RuleContext<SwiftStage>;

/** Options that train less, or more, than the tuner's name says. */
const PARTLY = ['freeze_parameters', 'freeze_parameters_regex', 'freeze_parameters_ratio', 'freeze_llm'];
const UNSIZED = ['target_regex', 'target_parameters', 'modules_to_save', 'use_dora'];

/** What an ms-swift job trains, where the estimator knows its size. */
export function swiftTuning(ruled: Context, shape: ModelShape): Known<Tuning> {
  const { get } = ruled;
  const tuner = textOf(get('tuner_type'));
  if (tuner === 'full') {
    if (quantised(ruled)) return unknown('quantised weights are not trained in full');
    const part = [...PARTLY, 'trainable_parameters'].find((option) => isSaid(get(option)));
    return part === undefined ? known({ kind: 'full' }) : unknown(`what \`${part}\` freezes is not counted`);
  }
  if (tuner !== 'lora') return unknown(`the size of what \`tuner_type: ${tuner}\` trains is not known`);
  const unsized = UNSIZED.find((option) => isSaid(get(option)));
  if (unsized !== undefined) return unknown(`the size of what \`${unsized}\` adds is not known`);
  const targets = loraTargets(get('target_modules'));
  if (!targets.known) return targets;
  const frozen = frozenOf(ruled, shape);
  if (!frozen.known) return frozen;
  const narrow = ['bfloat16', 'float16'].includes(textOf(get('lora_dtype')));
  return known({
    ...{ kind: 'lora', rank: Number(get('lora_rank') ?? 8), targets: targets.value },
    ...(frozen.value === undefined ? {} : { frozen: frozen.value }),
    ...(narrow ? { adapterBytes: 2 } : {}),
  });
}

/** ms-swift quantises when a method is named; `quant_bits` alone is not looked at (`get_quantization_config`). */
const quantised = ({ get }: Context): boolean => isSaid(get('quant_method'));

function frozenOf(ruled: Context, shape: ModelShape): Known<FrozenWeights | undefined> {
  const { get, stage } = ruled;
  if (!quantised(ruled)) return known(undefined);
  const method = textOf(get('quant_method'));
  const bits = Number(get('quant_bits'));
  if (method !== 'bnb' || (bits !== 4 && bits !== 8))
    return unknown(`weights in ${textOf(get('quant_bits'))} bits by \`${method}\` are not modelled`);
  if (shape.experts !== undefined) return unknown('which experts bitsandbytes quantises is not known');
  const split = get('fsdp') != null || /zero3/.test(textOf(get('deepspeed')));
  if (stage.trainer === 'megatron-swift' || split)
    return unknown('quantised weights that are split over GPUs are not modelled');
  return known({ kind: 'bnb', bits, doubleQuant: get('bnb_4bit_use_double_quant') !== false });
}

function isSaid(value: unknown): boolean {
  if (value == null || value === false || value === 0 || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}
