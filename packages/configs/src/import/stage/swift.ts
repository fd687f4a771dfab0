import { optionTable, registryOf } from '../../options/tables.ts';
import { gpuEnv } from '../../stages/gpu-env.ts';
import type { SwiftCommand } from '../../stages/swift/command.ts';
import type { OptionValue } from '../../study/settings.ts';
import type { TrainerCommand } from '../trainer-command.ts';
import type { StageDraft } from './draft.ts';
import { stageEnv } from './machine.ts';
import { type Renamed, readOptions } from './options.ts';
import { swiftMachine } from './swift-machine.ts';
import { swiftBatch, swiftParallel } from './swift-parallel.ts';
import { noteSilent, takeEvaluation } from './swift-silent.ts';
import { Taken, whereabouts } from './take.ts';

/** The seed that ms-swift takes when it is given none. */
const trainerSeed = 42;

/** Names that options of ms-swift had in former versions. */
const former = new Map(
  Object.entries({
    train_type: 'tuner_type',
    sft_type: 'tuner_type',
    model_id_or_path: 'model',
    template_type: 'template',
    eval_dataset: 'val_dataset',
    batch_size: 'per_device_train_batch_size',
    use_flash_attn: 'attn_impl',
    custom_train_dataset_path: 'dataset',
  }),
);

/** A launch of ms-swift as a stage. */
export function swiftStage(launch: TrainerCommand, command: SwiftCommand): StageDraft {
  const table = optionTable({ trainer: 'ms-swift', version: '4.6.0', command });
  const renamed: Renamed = (name) => {
    const now = Object.hasOwn(table.options, name) ? undefined : former.get(name);
    return now === undefined ? undefined : { now };
  };
  const { read, left } = readOptions(launch.options, table, renamed);
  const taken = new Taken(read, left);
  const machine = swiftMachine(launch, taken);
  const defaults = (name: string): OptionValue | undefined =>
    table.options[name]?.default as OptionValue | undefined;
  const models = { start: takeModel(taken, launch.line) };
  const { data, train, validation } = takeData(taken, launch.line);
  const seed = takeSeed(taken, launch.line);
  dropOwn(taken);
  const megatron = command.startsWith('megatron-');
  const parallel = swiftParallel(taken, launch, megatron);
  const batch = swiftBatch(taken, { megatron, machine, parallel, defaults });
  const method = command.endsWith('rlhf') ? takeMethod(taken, launch.line) : undefined;
  const evaluation = megatron ? {} : takeEvaluation(taken, validation.length > 0);
  noteSilent(taken, launch.line);
  const stage: Record<string, OptionValue> = {
    kind: command.endsWith('rlhf') ? 'rlhf' : 'sft',
    ...(method === undefined ? {} : { method }),
    ...(megatron ? { trainer: 'megatron-swift' } : {}),
    model: 'start',
    ...(train.length === 0 ? {} : { data: train.length === 1 ? (train[0] ?? '') : train }),
    ...(validation.length === 0
      ? {}
      : { validation: validation.length === 1 ? (validation[0] ?? '') : validation }),
    ...takeLength(taken, megatron, defaults),
    batch,
    max_length: takeMaxLength(taken, launch.line),
    overlong: takeOverlong(taken, launch.line, method),
    ...(Object.keys(parallel).length === 0 ? {} : { parallel }),
    ...takeSaving(taken, megatron, defaults),
    ...takeLoss(taken, command, method),
  };
  // What ms-swift would choose where this program chooses otherwise.
  const silent: Record<string, OptionValue> =
    !taken.has('tuner_type') && defaults('tuner_type') !== 'full'
      ? { tuner_type: defaults('tuner_type') ?? 'lora' }
      : {};
  const hub = 'hub' in models.start || Object.values(data).some((entry) => 'hub' in entry);
  const env = stageEnv(
    launch,
    { ...gpuEnv({ hub }), ...(megatron ? { CUDA_DEVICE_MAX_CONNECTIONS: '1' } : {}) },
    taken,
  );
  const options = withoutOwn({ ...silent, ...evaluation, ...taken.takeRest() }, megatron, parallel);
  return {
    stage: {
      ...stage,
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    },
    models,
    data,
    nodes: machine.nodes,
    gpusPerNode: machine.gpusPerNode,
    seed,
    trainer: 'ms-swift',
    left: taken.left,
  };
}

/** What this program writes by itself, whether or not a launch says it. */
const ownValues: Record<string, OptionValue> = {
  tuner_type: 'full',
  check_model: false,
  split_dataset_ratio: 0,
  report_to: ['none'],
  logging_steps: 1,
  save_strategy: 'steps',
  logging_first_step: true,
  torch_dtype: 'bfloat16',
  save_safetensors: true,
};

function withoutOwn(
  options: Record<string, OptionValue>,
  megatron: boolean,
  parallel: Record<string, OptionValue>,
): Record<string, OptionValue> {
  const own: Record<string, OptionValue> = {
    ...ownValues,
    ...(megatron && Number(parallel['tensor'] ?? 1) > 1 ? { sequence_parallel: true } : {}),
  };
  const same = (name: string, value: OptionValue): boolean =>
    Object.hasOwn(own, name) &&
    [own[name], [own[name]]].some((known) => JSON.stringify(known) === JSON.stringify(value));
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => !same(name, value)));
}

function takeModel(taken: Taken, line: number): Record<string, OptionValue> {
  const written = taken.take('model');
  const type = taken.take('model_type');
  const template = taken.take('template');
  if (typeof written !== 'string')
    taken.note(
      line,
      'model',
      'chosen',
      'the launch names no model; write its path or its id in `models.start`.',
    );
  const id = typeof written === 'string' ? written : './model';
  const { models } = registryOf('ms-swift', '4.6.0');
  const known = Object.hasOwn(models, id) ? models[id] : undefined;
  const found = { type: type ?? known?.type, template: template ?? known?.template };
  const told = Object.entries(found).flatMap(([name, value]): [string, OptionValue][] => {
    if (value !== undefined && value !== null) return [[name, value]];
    const message = `the ${name} of \`${id}\` is not known; write it in \`models.start\`.`;
    taken.note(line, name === 'type' ? 'model_type' : name, 'chosen', message);
    return [];
  });
  return { ...whereabouts(id, 'model'), ...Object.fromEntries(told) };
}

function takeData(
  taken: Taken,
  line: number,
): { data: StageDraft['data']; train: string[]; validation: string[] } {
  const data: StageDraft['data'] = {};
  const add = (option: string, stem: string): string[] => {
    const written = taken.take(option);
    const sets = (Array.isArray(written) ? written : written === undefined ? [] : [written]).map(String);
    return sets.map((set, i) => {
      const name = i === 0 ? stem : `${stem}-${i + 1}`;
      data[name] = whereabouts(set, 'data');
      return name;
    });
  };
  const train = add('dataset', 'train');
  const validation = add('val_dataset', 'validation');
  if (train.length === 0 && !taken.has('cached_dataset')) {
    taken.note(line, 'dataset', 'chosen', 'the launch names no data; write its path in `data.train`.');
    data['train'] = { path: './train.jsonl' };
    return { data, train: ['train'], validation };
  }
  return { data, train, validation };
}

function takeSeed(taken: Taken, launchLine: number): number | null {
  const line = taken.lineOf('seed') || taken.lineOf('data_seed');
  const dataLine = taken.lineOf('data_seed');
  const seed = taken.takeNumber('seed');
  const dataSeed = taken.takeNumber('data_seed');
  const root = seed ?? dataSeed ?? null;
  const derived = "ms-swift's seeds are derived from it";
  if (root === null) {
    const message = `the launch gives no seed, and ms-swift's own is ${trainerSeed}; ${derived} as the root seed.`;
    taken.note(launchLine, 'seed', 'her-sets', message);
    return null;
  }
  taken.note(line, 'seed', 'her-sets', `${root} is the root seed; ${derived}.`, undefined, true);
  if (seed !== undefined && dataSeed !== undefined && dataSeed !== seed) {
    const message = `${dataSeed} is not kept: rows are shuffled by a seed that is derived from the root seed ${root}.`;
    taken.note(dataLine, 'data_seed', 'her-sets', message);
  }
  return root;
}

function dropOwn(taken: Taken): void {
  for (const name of ['output_dir', 'add_version', 'logging_dir'])
    taken.drop(name, 'each attempt has its own folder.');
  for (const name of [
    'resume_from_checkpoint',
    'finetune',
    'no_load_optim',
    'no_load_rng',
    'mcore_model',
    'load',
  ])
    if (name !== 'mcore_model' || taken.peek('finetune') === false)
      taken.drop(name, 'resuming is decided at run time.');
  taken.drop('ignore_args_error', 'a wrong option is an error.');
  taken.drop('create_checkpoint_symlink', 'it fails in a resumed run.');
}

function takeMethod(taken: Taken, line: number): string {
  const method = taken.take('rlhf_type');
  if (typeof method === 'string') return method;
  taken.note(line, 'rlhf_type', 'chosen', 'the launch names no method; dpo is its default.');
  return 'dpo';
}

function takeLength(
  taken: Taken,
  megatron: boolean,
  defaults: (name: string) => OptionValue | undefined,
): Record<string, OptionValue> {
  const steps = taken.takeNumber(megatron ? 'train_iters' : 'max_steps');
  const epochs = taken.takeNumber('num_train_epochs');
  if (steps !== undefined && steps > 0) return { steps };
  return { epochs: epochs ?? Number(defaults('num_train_epochs') ?? 1) };
}

function takeMaxLength(taken: Taken, line: number): number {
  const length = taken.takeNumber('max_length');
  if (length !== undefined) return length;
  taken.note(
    line,
    'max_length',
    'chosen',
    "the launch leaves it to the model's own limit; 8192 is written, look at it.",
  );
  return 8192;
}

function takeOverlong(taken: Taken, line: number, method: string | undefined): OptionValue {
  const written = taken.take('truncation_strategy');
  const strict = taken.take('strict');
  // What ms-swift takes when it is told nothing: GRPO cuts a prompt on its left, all others drop the row.
  const strategy = written == null || written === 'None' ? (method === 'grpo' ? 'left' : 'delete') : written;
  if (strategy === 'left' || strategy === 'right') return strategy;
  if (strategy === 'split') {
    const message = '`split` is for pre-training only.';
    taken.note(line, 'truncation_strategy', 'not-carried', message);
  }
  if (strict !== true) {
    const message = 'the launch drops rows over max_length and says nothing; here the first one is an error.';
    const hint = 'To let some go: `overlong: { delete: N }`, with `rows` of the data.';
    taken.note(line, 'truncation_strategy', 'chosen', message, hint);
  }
  return 'error';
}

function takeSaving(
  taken: Taken,
  megatron: boolean,
  defaults: (name: string) => OptionValue | undefined,
): Record<string, OptionValue> {
  const every = taken.takeNumber('save_steps') ?? Number(defaults('save_steps') ?? 500);
  const line = taken.lineOf('save_total_limit');
  const limit = taken.takeNumber('save_total_limit');
  // To transformers, none and what is not above zero are the same: all stay.
  const keepsAll = limit === undefined || limit <= 0;
  const keep = keepsAll ? 2 : Math.max(2, limit);
  if (limit !== keep) {
    const why = keepsAll ? 'the launch keeps all checkpoints' : 'one checkpoint is lost with a torn save';
    taken.note(line, 'save_total_limit', 'chosen', `${why}; ${keep} stay.`);
  }
  const partial = megatron
    ? [taken.take('no_save_optim'), taken.take('no_save_rng')].some((value) => value === true)
    : taken.take('save_only_model') === true;
  const whole = Math.max(1, Math.round(every));
  return { save_every: whole, keep, ...(partial ? { resumable: false } : {}) };
}

function takeLoss(
  taken: Taken,
  command: SwiftCommand,
  method: string | undefined,
): Record<string, OptionValue> {
  const loss = taken.take('loss_scale');
  if (typeof loss === 'string') return { loss };
  if (method === undefined) return { loss: 'default' };
  // ms-swift's own choice by the method; Megatron's is always the last round.
  const turns = (method === 'grpo' || method === 'gkd') && taken.has('multi_turn_scheduler');
  const every = !command.startsWith('megatron-') && (method === 'orpo' || turns);
  return { loss: every ? 'default' : 'last_round' };
}
