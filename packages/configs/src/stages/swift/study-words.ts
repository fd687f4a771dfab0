import { type SeedRow, seedOf } from '../../seeds/table.ts';
import { namesOf, type SwiftStage } from '../../study/stage-schemas.ts';
import { type Machine, worldSize } from '../../study/target-schema.ts';
import { inputLinks, modelToldAt } from '../input-links.ts';
import type { StudyWords } from '../settings-builder.ts';
import type { StageContext } from '../stage-context.ts';
import { isMegatron, type SwiftCommand, swiftCommand } from './command.ts';

/** Ranks that see different rows: sequences that are shared among ranks count once. */
export function dataParallel(stage: SwiftStage, machine: Machine): number {
  const { sequence, tensor, pipeline, context } = stage.parallel;
  const shared = isMegatron(swiftCommand(stage)) ? tensor * pipeline * context : sequence;
  return worldSize(machine) / shared;
}

/** Forward passes of one rank for one optimizer step. */
export function accumulation(stage: SwiftStage, machine: Machine): number {
  return stage.batch.global / (stage.batch.per_device * dataParallel(stage, machine));
}

/** Values of ms-swift's `deepspeed` that name a preset, by how states are spread and where they rest. */
export function deepspeedPreset({ sharding, offload }: SwiftStage['parallel']): string | null {
  if (sharding === 'none' || sharding === 'fsdp2') return null;
  return offload === 'all' ? `${sharding}_offload` : sharding;
}

/** What the study says in its own words, as options of ms-swift. */
export function swiftWords(context: StageContext<SwiftStage>, seeds: readonly SeedRow[]): StudyWords {
  const { study, stage, machine } = context;
  const { modelTraits: traits } = context;
  const command = swiftCommand(stage);
  const links = inputLinks(study, stage);
  const shared: StudyWords = {
    model: { value: links.model, key: 'model', from: modelToldAt(study, context.stageName, stage.model) },
    model_type: { value: traits.type, key: 'model', from: ['models', traits.name, 'type'] },
    template: { value: traits.template, key: 'model', from: ['models', traits.name, 'template'] },
    ...(links.data.length === 0 ? {} : { dataset: { value: links.data, key: 'data' } }),
    ...(namesOf(stage.validation).length === 0
      ? {}
      : { val_dataset: { value: links.validation, key: 'validation' } }),
    ...(stage.loss === undefined ? {} : { loss_scale: { value: stage.loss, key: 'loss' } }),
    ...(stage.kind === 'rlhf' ? { rlhf_type: { value: stage.method, key: 'method' } } : {}),
    ...overlongWords(stage),
    max_length: { value: stage.max_length, key: 'max_length' },
    seed: { value: seedOf(seeds, 'seed'), key: 'seeds' },
    save_steps: { value: stage.save_every, key: 'save_every' },
    save_total_limit: { value: stage.keep, key: 'keep' },
    ...(stage.epochs === undefined ? {} : { num_train_epochs: { value: stage.epochs, key: 'epochs' } }),
  };
  return { ...shared, ...(isMegatron(command) ? megatronWords(stage) : plainWords(stage, machine, seeds)) };
}

function plainWords(stage: SwiftStage, machine: Machine, seeds: readonly SeedRow[]): StudyWords {
  const preset = deepspeedPreset(stage.parallel);
  return {
    ...(stage.steps === undefined ? {} : { max_steps: { value: stage.steps, key: 'steps' } }),
    per_device_train_batch_size: { value: stage.batch.per_device, key: 'batch.per_device' },
    gradient_accumulation_steps: { value: accumulation(stage, machine), key: 'batch.global' },
    data_seed: { value: seedOf(seeds, 'data_seed'), key: 'seeds' },
    ...(preset === null ? {} : { deepspeed: { value: preset, key: 'parallel.sharding' } }),
    ...(stage.parallel.sharding === 'fsdp2' ? { fsdp: { value: 'fsdp2', key: 'parallel.sharding' } } : {}),
    ...(stage.parallel.sequence === 1
      ? {}
      : { sequence_parallel_size: { value: stage.parallel.sequence, key: 'parallel.sequence' } }),
    save_only_model: { value: !stage.resumable, key: 'resumable' },
  };
}

function megatronWords(stage: SwiftStage): StudyWords {
  const { tensor, pipeline, context } = stage.parallel;
  return {
    ...(stage.steps === undefined ? {} : { train_iters: { value: stage.steps, key: 'steps' } }),
    micro_batch_size: { value: stage.batch.per_device, key: 'batch.per_device' },
    global_batch_size: { value: stage.batch.global, key: 'batch.global' },
    tensor_model_parallel_size: { value: tensor, key: 'parallel.tensor' },
    pipeline_model_parallel_size: { value: pipeline, key: 'parallel.pipeline' },
    context_parallel_size: { value: context, key: 'parallel.context' },
    no_save_optim: { value: !stage.resumable, key: 'resumable' },
    no_save_rng: { value: !stage.resumable, key: 'resumable' },
  };
}

/**
 * What becomes of a row over `max_length`. With `strict` ms-swift stops at the first; without, it drops it and does not
 * say so, which is why a study that lets rows go says how many at most.
 */
function overlongWords({ overlong }: SwiftStage): StudyWords {
  const [strategy, strict] =
    overlong === 'error'
      ? ['delete', true]
      : typeof overlong === 'string'
        ? [overlong, true]
        : ['delete', false];
  return {
    truncation_strategy: { value: strategy, key: 'overlong' },
    strict: { value: strict, key: 'overlong' },
  };
}

const secret = 'nothing: a study never holds a secret; give it to the node';

const bothOwned: Record<string, string> = {
  hub_token: secret,
  swanlab_token: secret,
  swanlab_secret: secret,
  model: 'model',
  model_type: 'models.NAME.type',
  template: 'models.NAME.template',
  dataset: 'data',
  val_dataset: 'validation',
  max_length: 'max_length',
  num_train_epochs: 'epochs',
  loss_scale: 'loss',
  truncation_strategy: 'overlong',
  strict: 'overlong',
  save_steps: 'save_every',
  save_total_limit: 'keep',
  seed: 'seeds',
  output_dir: 'nothing: each attempt has its own folder',
  add_version: 'nothing: each attempt has its own folder',
};

const plainOwned: Record<string, string> = {
  ...bothOwned,
  max_steps: 'steps',
  per_device_train_batch_size: 'batch.per_device',
  gradient_accumulation_steps: 'batch.global',
  sequence_parallel_size: 'parallel.sequence',
  fsdp: 'parallel.sharding',
  data_seed: 'seeds',
  save_only_model: 'resumable',
  resume_from_checkpoint: 'nothing: resuming is decided at run time',
};

const megatronOwned: Record<string, string> = {
  ...bothOwned,
  train_iters: 'steps',
  micro_batch_size: 'batch.per_device',
  global_batch_size: 'batch.global',
  tensor_model_parallel_size: 'parallel.tensor',
  pipeline_model_parallel_size: 'parallel.pipeline',
  context_parallel_size: 'parallel.context',
  no_save_optim: 'resumable',
  no_save_rng: 'resumable',
  no_load_optim: 'nothing: resuming is decided at run time',
  no_load_rng: 'nothing: resuming is decided at run time',
  finetune: 'nothing: resuming is decided at run time',
};

/** Options of ms-swift that the study says in its own words, and the words. */
export function swiftOwnedOptions(command: SwiftCommand): Record<string, string> {
  const owned = isMegatron(command) ? megatronOwned : plainOwned;
  return command.endsWith('rlhf') ? { ...owned, rlhf_type: 'method' } : owned;
}
