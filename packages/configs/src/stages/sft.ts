import { type SeedSource, seedOf, seedTable } from '../seeds/table.ts';
import type { StageOf } from '../study/stage-schemas.ts';
import { cpuEnv } from './cpu-env.ts';
import { launchScript } from './launch-script.ts';
import { mergeSettings, plainValues } from './settings-builder.ts';
import type { Rendered, StageContext } from './stage-context.ts';
import { yaml11 } from './yaml11.ts';

/** Options of ms-swift that the study says in its own words, and the words. */
export const sftOwnedOptions: Record<string, string> = {
  model: 'model',
  model_type: 'models.NAME.type',
  template: 'models.NAME.template',
  dataset: 'data',
  num_train_epochs: 'epochs',
  per_device_train_batch_size: 'batch.per_device',
  gradient_accumulation_steps: 'batch.global',
  max_length: 'max_length',
  save_steps: 'save_every',
  save_total_limit: 'keep',
  loss_scale: 'loss',
  seed: 'seeds',
  data_seed: 'seeds',
  output_dir: 'nothing: each attempt has its own folder',
  add_version: 'nothing: each attempt has its own folder',
  resume_from_checkpoint: 'nothing: resuming is decided at run time',
};

const seedSources: readonly SeedSource[] = [
  { source: 'data_seed', drives: 'order of the rows in every epoch', effect: 'effective' },
  {
    source: 'seed',
    drives: 'dropout and new parameters; a plain full fine-tuning has neither',
    effect: 'inert',
  },
  { source: 'PYTHONHASHSEED', drives: 'order of Python sets', effect: 'inert' },
];

/** One ms-swift full fine-tuning, as `swift sft sft.yaml`. */
export function renderSft({ study, stageName, stage, seed }: StageContext<StageOf<'sft'>>): Rendered {
  const seeds = seedTable(seed ?? 0, stageName, seedSources);
  const settings = mergeSettings({
    her: ownChoices(),
    study: studyWords(study.models[stage.model], stage, seeds),
    options: stage.options,
  });
  const argv = ['swift', 'sft', 'sft.yaml'];
  const env = { ...cpuEnv(stage.needs.cores), PYTHONHASHSEED: String(seedOf(seeds, 'PYTHONHASHSEED')) };
  return {
    environment: 'swift',
    files: { 'sft.yaml': yaml11(plainValues(settings)), 'launch.sh': launchScript({ argv, env }) },
    argv,
    env,
    metrics: [{ format: 'swift', path: 'out/logging.jsonl' }],
    checkpoints: { format: 'swift', path: 'out', worldSize: 1 },
    seedRecord: 'swift',
    outputs: [{ name: 'model', path: 'out/checkpoint-*' }],
    resume: {
      argv: ['--resume_from_checkpoint', 'inputs/resume/{checkpoint}'],
      format: 'swift',
      path: 'inputs/resume',
    },
    seeds,
    reproducibility: {
      level: 'bitwise',
      why: 'one process on one CPU, fixed thread count: the same seeds give the same bits',
    },
    settings,
    steps: null,
    code: [],
  };
}

function studyWords(
  model: { type: string; template: string } | undefined,
  stage: StageOf<'sft'>,
  seeds: ReturnType<typeof seedTable>,
): Parameters<typeof mergeSettings>[0]['study'] {
  return {
    model: { value: 'inputs/model', key: 'model' },
    model_type: { value: model?.type ?? 'qwen3', key: 'models.type' },
    template: { value: model?.template ?? 'qwen3_nothinking', key: 'models.template' },
    dataset: { value: ['inputs/data.jsonl'], key: 'data' },
    num_train_epochs: { value: stage.epochs, key: 'epochs' },
    per_device_train_batch_size: { value: stage.batch.per_device, key: 'batch.per_device' },
    gradient_accumulation_steps: { value: stage.batch.global / stage.batch.per_device, key: 'batch.global' },
    max_length: { value: stage.max_length, key: 'max_length' },
    save_steps: { value: stage.save_every, key: 'save_every' },
    save_total_limit: { value: stage.keep, key: 'keep' },
    loss_scale: { value: stage.loss, key: 'loss' },
    seed: { value: seedOf(seeds, 'seed'), key: 'seeds' },
    data_seed: { value: seedOf(seeds, 'data_seed'), key: 'seeds' },
  };
}

/** What ms-swift must never be left to choose, because its default differs by version, machine or data. */
function ownChoices(): Parameters<typeof mergeSettings>[0]['her'] {
  return {
    tuner_type: { value: 'full', why: "ms-swift's default is LoRA" },
    torch_dtype: { value: 'float32', why: 'a CPU trains in float32' },
    fp16: { value: false, why: 'ms-swift turns float32 models to fp16 autocast by itself' },
    bf16: { value: false, why: 'a CPU trains in float32' },
    attn_impl: { value: 'sdpa', why: 'flash attention needs a GPU' },
    use_cpu: { value: true, why: 'the target has no GPU' },
    truncation_strategy: { value: 'delete', why: 'no row is cut in the middle' },
    strict: { value: true, why: 'a row that cannot be read stops the run instead of vanishing' },
    check_model: { value: false, why: 'the check asks a hub' },
    split_dataset_ratio: { value: 0, why: 'no row is taken from training unasked' },
    dataset_num_proc: { value: 1, why: 'the order of rows must not depend on the machine' },
    dataloader_num_workers: { value: 0, why: 'the order of rows must not depend on the machine' },
    save_strategy: { value: 'steps', why: 'checkpoints are counted in steps' },
    save_only_model: { value: false, why: 'without the optimizer a checkpoint cannot be resumed from' },
    eval_strategy: { value: 'no', why: 'held-out rows are scored by the evaluate stage' },
    logging_steps: { value: 1, why: 'every step is in the ledger' },
    logging_first_step: { value: true, why: 'every step is in the ledger' },
    report_to: { value: 'none', why: 'metrics are read from logging.jsonl' },
    output_dir: { value: 'out', why: 'each attempt has its own folder' },
    add_version: { value: false, why: 'each attempt has its own folder' },
  };
}
