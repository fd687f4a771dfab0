import { ADAM, type Optimizer, optimizerNamed } from '../estimate/optimizers.ts';
import type { Tuning } from '../estimate/training-job.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { type Known, known, unknown } from './job-cost.ts';
import { loraTargets } from './lora-targets.ts';

type Context = RuleContext<StageOf<'rl'>>;

/** Where verl's tree has a model, its engine and its optimizer. */
export type Branch = { model: string; engine: string; optim: string };

export const actorBranch = (stage: StageOf<'rl'>): Branch => ({
  model: 'actor_rollout_ref.model',
  engine: `actor_rollout_ref.actor.${stage.engine === 'megatron' ? 'megatron' : 'fsdp_config'}`,
  optim: 'actor_rollout_ref.actor.optim',
});

export const criticBranch = (stage: StageOf<'rl'>): Branch => ({
  model: 'critic.model',
  engine: stage.engine === 'megatron' ? 'critic.megatron' : 'critic.fsdp',
  optim: 'critic.optim',
});

/** torch keeps weights, gradients and states in the width that the model is read in: 32 bits unless told otherwise. */
export function isNarrow({ get }: Context, { engine }: Branch): boolean {
  return ['bf16', 'bfloat16', 'fp16', 'float16'].includes(textOf(get(`${engine}.model_dtype`) ?? 'fp32'));
}

/** What verl trains of a model: all, or adapters beside weights as wide as they are read. */
export function verlTuning(ruled: Context, branch: Branch): Known<Tuning> {
  const { get, stage } = ruled;
  const { model } = branch;
  const megatron = stage.engine === 'megatron';
  const rank = Number(get(`${model}.lora.rank`) ?? 0) || Number(get(`${model}.lora_rank`) ?? 0);
  if (get(`${model}.lora_adapter_path`) != null || get(`${model}.lora.adapter_path`) != null)
    return unknown('the rank of the adapter at `lora_adapter_path` is not read');
  if (rank <= 0) return known({ kind: 'full' });
  if (get(`${model}.target_parameters`) != null)
    return unknown('the size of `target_parameters` is not known');
  const targets = loraTargets(get(`${model}.${megatron ? 'lora.target_modules' : 'target_modules'}`));
  if (!targets.known) return targets;
  // FSDP wants one width in a group, so the adapters get the model's.
  const bytes = megatron || isNarrow(ruled, branch) ? 2 : 4;
  return known({
    ...{ kind: 'lora', rank, targets: targets.value, adapterBytes: bytes },
    frozen: { kind: 'plain', bytes },
  });
}

/** What verl's optimizer keeps, where it is known. */
export function verlOptimizer({ get, stage }: Context, { optim }: Branch): Known<Optimizer> {
  const name = textOf(get(`${optim}.optimizer`) ?? 'AdamW');
  const from = textOf(get(`${optim}.optimizer_impl`) ?? 'torch.optim');
  const more = get(`${optim}.override_optimizer_config`);
  const momentum =
    typeof more === 'object' &&
    more !== null &&
    Number((more as Record<string, unknown>)['momentum'] ?? 0) > 0;
  const megatron = stage.engine === 'megatron';
  if (/^adamw?$/i.test(name) && from === 'torch.optim') return known(ADAM);
  const words: Record<string, string> = {
    'torch.optim SGD': 'sgd',
    'torch.optim sgd': 'sgd',
    'torch.optim Adafactor': 'adafactor',
    'torch.optim Adagrad': 'adagrad',
    'torchao.optim AdamW8bit': 'adamw_torch_8bit',
    'torchao.optim AdamW4bit': 'adamw_torch_4bit',
    'bitsandbytes.optim AdamW8bit': 'adamw_8bit',
    'bitsandbytes.optim PagedAdamW8bit': 'paged_adamw_8bit',
  };
  const word = words[`${from} ${name}`];
  // Megatron's SGD keeps a momentum. bitsandbytes keeps embeddings in 32 bits only where transformers asks.
  const flat = megatron || from === 'bitsandbytes.optim';
  const found =
    word === undefined ? undefined : optimizerNamed(word, { flat, momentum: momentum || megatron });
  return found === undefined
    ? unknown(`what \`${optim}.optimizer: ${name}\` of ${from} keeps for each parameter is not known`)
    : known(found);
}
