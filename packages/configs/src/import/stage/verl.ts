import { optionTable } from '../../options/tables.ts';
import { replacementFor } from '../../rules/verl-ignored.ts';
import { gpuEnv } from '../../stages/gpu-env.ts';
import { verlEnv } from '../../stages/rl/cpu.ts';
import type { OptionValue } from '../../study/settings.ts';
import { rlAlgorithms } from '../../study/stage-schemas.ts';
import type { TrainerCommand, TrainerOption } from '../trainer-command.ts';
import type { StageDraft } from './draft.ts';
import { stageEnv } from './machine.ts';
import { readOptions } from './options.ts';
import { Taken, whereabouts } from './take.ts';
import { verlParallel } from './verl-parallel.ts';
import { verlReward } from './verl-reward.ts';

type Engine = 'fsdp' | 'fsdp2' | 'megatron';

/** A launch of verl's `main_ppo` as a stage. */
export function verlStage(launch: TrainerCommand): StageDraft {
  const { engine: tree, options: written } = chooseTree(launch);
  const table = optionTable({ trainer: 'verl', version: '0.9.1', command: tree });
  const { read, left } = readOptions(written, table, movedKey);
  const taken = new Taken(read, left);
  const defaults = (name: string): OptionValue | undefined =>
    table.options[name]?.default as OptionValue | undefined;
  const number = (name: string, otherwise = 1): number =>
    taken.takeNumber(name) ?? Number(defaults(name) ?? otherwise);
  const engine = takeEngine(taken, tree, launch.line);
  const nodes = number('trainer.nnodes');
  const gpusPerNode = number('trainer.n_gpus_per_node');
  const models: StageDraft['models'] = { start: takeModel(taken, launch.line) };
  const { data, prompts, validation } = takeData(taken, launch.line);
  const seed = taken.takeNumber('data.seed') ?? null;
  dropOwn(taken);
  const algorithm = takeAlgorithm(taken, launch.line);
  const length = {
    prompt: number('data.max_prompt_length'),
    response: number('data.max_response_length'),
  };
  const dapo = algorithm === 'dapo' ? takeDapo(taken, length.response) : {};
  const reward = verlReward(taken, models);
  const parallel = verlParallel(taken, engine, defaults);
  const stage: Record<string, OptionValue> = {
    kind: 'rl',
    algorithm,
    engine,
    model: 'start',
    prompts,
    ...(validation === null ? {} : { validation }),
    reward: reward.words,
    ...takeSteps(taken, defaults),
    batch: {
      prompts: number('data.train_batch_size'),
      samples: number('actor_rollout_ref.rollout.n'),
      mini: number('actor_rollout_ref.actor.ppo_mini_batch_size'),
      ...takeMicro(taken, launch.line),
    },
    length,
    ...dapo,
    ...(Object.keys(parallel).length === 0 ? {} : { parallel }),
    ...takeSaving(taken, launch.line),
  };
  const env = stageEnv(launch, { ...gpuEnv({ hub: 'hub' in (models['start'] ?? {}) }), ...verlEnv }, taken);
  // What verl would choose where this program, for DAPO, chooses otherwise.
  const bound = 'actor_rollout_ref.actor.clip_ratio_c';
  const silent: Record<string, OptionValue> =
    algorithm === 'dapo' && !taken.has(bound) ? { [bound]: defaults(bound) ?? 3 } : {};
  const options = withoutOwn({ ...silent, ...withLogger(taken) }, { algorithm, length });
  return {
    stage: {
      ...stage,
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    },
    models,
    data,
    nodes: nodes + reward.nodes,
    gpusPerNode,
    seed,
    trainer: 'verl',
    left: taken.left,
  };
}

/** Which of verl's trees a launch stands on: its config's name, its choice of the group, or its actor's strategy. */
function chooseTree({ config, options }: TrainerCommand): {
  engine: 'fsdp' | 'megatron';
  options: TrainerOption[];
} {
  const named = config?.kind === 'hydra' ? (config.name ?? '') : '';
  const value = (name: string): string =>
    String(options.find((option) => option.name === name)?.values[0] ?? '');
  const megatron =
    value('model_engine') === 'megatron' ||
    named.includes('megatron') ||
    value('actor_rollout_ref.actor.strategy') === 'megatron';
  const known = ['model_engine'].filter((name) => ['dp', 'megatron'].includes(value(name)));
  return {
    engine: megatron ? 'megatron' : 'fsdp',
    options: options.filter(({ name }) => !known.includes(name)),
  };
}

function movedKey(name: string): string | undefined {
  const now = replacementFor(name);
  if (now === undefined) return undefined;
  if (name.endsWith('.ulysses_sequence_parallel_size'))
    return name.replace('.ulysses_sequence_parallel_size', '.fsdp_config.ulysses_sequence_parallel_size');
  return now.includes(' ') ? undefined : now;
}

function takeEngine(taken: Taken, tree: 'fsdp' | 'megatron', line: number): Engine {
  const written = taken.take('actor_rollout_ref.actor.strategy');
  for (const name of ['critic.strategy', 'actor_rollout_ref.ref.strategy'])
    if (taken.peek(name) === written) taken.take(name);
  if (tree === 'megatron') return 'megatron';
  if (written === 'fsdp2' || written === 'fsdp') return written;
  if (written !== undefined)
    taken.note(
      line,
      'actor_rollout_ref.actor.strategy',
      'not-carried',
      `of ${String(written)} a study knows nothing; fsdp is taken.`,
    );
  return 'fsdp';
}

function takeModel(taken: Taken, line: number): Record<string, OptionValue> {
  const written = taken.take('actor_rollout_ref.model.path');
  if (typeof written !== 'string')
    taken.note(
      line,
      'actor_rollout_ref.model.path',
      'chosen',
      'the launch names no model; write it in `models.start`.',
    );
  return whereabouts(typeof written === 'string' ? written : './model', 'model');
}

function takeData(
  taken: Taken,
  line: number,
): { data: StageDraft['data']; prompts: OptionValue; validation: OptionValue | null } {
  const data: StageDraft['data'] = {};
  const add = (option: string, stem: string): string[] => {
    const written = taken.take(option);
    const files = (Array.isArray(written) ? written : written == null ? [] : [written]).map(String);
    return files.map((file, i) => {
      const name = i === 0 ? stem : `${stem}-${i + 1}`;
      data[name] = { path: file };
      return name;
    });
  };
  const files = taken.peek('data.train_files');
  const train = add('data.train_files', 'prompts');
  // verl must be given some; without validation they are the prompts themselves.
  const same = JSON.stringify(taken.peek('data.val_files')) === JSON.stringify(files);
  if (same) taken.take('data.val_files');
  const held = same ? [] : add('data.val_files', 'validation');
  if (train.length === 0) {
    taken.note(
      line,
      'data.train_files',
      'chosen',
      'the launch names no prompts; write their path in `data.prompts`.',
    );
    data['prompts'] = { path: './prompts.parquet' };
  }
  const one = (names: string[]): OptionValue => (names.length === 1 ? (names[0] ?? '') : names);
  return {
    data,
    prompts: train.length === 0 ? 'prompts' : one(train),
    validation: held.length === 0 ? null : one(held),
  };
}

function takeAlgorithm(taken: Taken, line: number): string {
  const written = taken.take('algorithm.adv_estimator');
  const estimator = typeof written === 'string' ? written : 'gae';
  if (!rlAlgorithms.some((known) => known === estimator)) {
    taken.note(
      line,
      'algorithm.adv_estimator',
      'not-carried',
      `\`${estimator}\` is none of verl's; grpo is taken.`,
    );
    return 'grpo';
  }
  const buffer = taken.peek('+reward.reward_kwargs.overlong_buffer_cfg.enable');
  const config = taken.peek('+reward.reward_kwargs.overlong_buffer_cfg');
  const punished =
    buffer === true ||
    (typeof config === 'object' && config !== null && !Array.isArray(config) && config['enable'] === true);
  const sampled = taken.peek('algorithm.filter_groups.enable') === true;
  const manager = taken.peek('reward.reward_manager.name') === 'dapo';
  const clip = (side: string): number =>
    Number(taken.peek(`actor_rollout_ref.actor.clip_ratio_${side}`) ?? 0.2);
  const asymmetric = clip('high') > clip('low');
  return estimator === 'grpo' && punished && sampled && manager && asymmetric ? 'dapo' : estimator;
}

/** The parts of DAPO that a study has words for. */
function takeDapo(taken: Taken, response: number): Record<string, OptionValue> {
  const branch = '+reward.reward_kwargs.overlong_buffer_cfg';
  const whole = taken.take(branch);
  const config = typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? whole : {};
  const part = (name: string): OptionValue | undefined => taken.take(`${branch}.${name}`) ?? config[name];
  for (const name of [
    'algorithm.filter_groups.enable',
    'reward.reward_manager.name',
    '+reward.reward_kwargs.max_resp_len',
  ])
    taken.take(name);
  // A refill is counted in prompts whatever the launch says.
  taken.take('data.gen_batch_size');
  const metric = taken.take('algorithm.filter_groups.metric');
  const inflight = taken.takeNumber('algorithm.filter_groups.max_inflight_gen_batches');
  part('enable');
  part('log');
  const buffer = Number(part('len') ?? Math.floor(response / 4));
  return {
    overlong: { buffer, penalty: Number(part('penalty_factor') ?? 1) },
    filter: { metric: String(metric ?? 'reward'), inflight: inflight ?? 1 },
  };
}

function takeSteps(
  taken: Taken,
  defaults: (name: string) => OptionValue | undefined,
): Record<string, OptionValue> {
  const steps = taken.takeNumber('trainer.total_training_steps');
  const epochs = taken.takeNumber('trainer.total_epochs');
  if (steps !== undefined && steps > 0) return { steps };
  taken.take('trainer.total_training_steps');
  return { epochs: epochs ?? Number(defaults('trainer.total_epochs') ?? 30) };
}

function takeMicro(taken: Taken, line: number): Record<string, OptionValue> {
  const micro = taken.takeNumber('actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu');
  if (taken.peek('actor_rollout_ref.actor.use_dynamic_bsz') === true) return {};
  if (micro === undefined) {
    taken.note(
      line,
      'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu',
      'chosen',
      'the launch gives none; 1 is written.',
    );
    return { micro_per_device: 1 };
  }
  for (const name of ['rollout', 'ref']) {
    const option = `actor_rollout_ref.${name}.log_prob_micro_batch_size_per_gpu`;
    if (taken.peek(option) === micro) taken.take(option);
  }
  return { micro_per_device: micro };
}

function takeSaving(taken: Taken, line: number): Record<string, OptionValue> {
  const every = taken.takeNumber('trainer.save_freq') ?? -1;
  const test = taken.takeNumber('trainer.test_freq') ?? -1;
  const keep = taken.takeNumber('trainer.max_actor_ckpt_to_keep');
  const contents = taken.take('actor_rollout_ref.actor.checkpoint.save_contents');
  const partial = Array.isArray(contents) && !contents.includes('optimizer');
  if (every <= 0)
    taken.note(line, 'trainer.save_freq', 'chosen', 'the launch never saves; every 20 steps is written.');
  if (keep !== undefined && keep < 2)
    taken.note(
      line,
      'trainer.max_actor_ckpt_to_keep',
      'chosen',
      'one checkpoint is lost with a torn save; 2 stay.',
    );
  return {
    ...(test > 0 ? { validate_every: test } : {}),
    save_every: every > 0 ? every : 20,
    ...(keep === undefined ? {} : { keep: Math.max(2, keep) }),
    ...(partial ? { resumable: false } : {}),
  };
}

function dropOwn(taken: Taken): void {
  for (const name of [
    'trainer.default_local_dir',
    'trainer.rollout_data_dir',
    'trainer.project_name',
    'trainer.experiment_name',
    'trainer.default_hdfs_dir',
  ])
    taken.drop(name, 'each attempt has its own folder, and the study its name.');
  for (const name of ['trainer.resume_mode', 'trainer.resume_from_path'])
    taken.drop(name, 'resuming is decided at run time.');
  taken.drop('trainer.device', 'the target says it.');
  const seeds = [
    'actor_rollout_ref.rollout.seed',
    'actor_rollout_ref.actor.data_loader_seed',
    'reward.reward_model.rollout.seed',
  ];
  const engines = ['fsdp_config', 'megatron'].flatMap((branch) =>
    ['actor', 'ref'].map((model) => `actor_rollout_ref.${model}.${branch}.seed`),
  );
  for (const name of [...seeds, ...engines]) taken.drop(name, 'seeds are derived from the root seed.');
}

/** Metrics reach the ledger through the file logger; a launch may have others beside it. */
function withLogger(taken: Taken): Record<string, OptionValue> {
  const loggers = taken.peek('trainer.logger');
  const line = taken.lineOf('trainer.logger');
  const rest = taken.rest();
  if (loggers === undefined) return rest;
  const list = (Array.isArray(loggers) ? loggers : [loggers]).map(String);
  if (list.includes('file')) return { ...rest, 'trainer.logger': list };
  taken.note(line, 'trainer.logger', 'her-sets', '`file` is added: metrics are read from it.');
  return { ...rest, 'trainer.logger': [...list, 'file'] };
}

/** What this program writes by itself, whether or not a launch says it. */
function withoutOwn(
  options: Record<string, OptionValue>,
  { algorithm, length }: { algorithm: string; length: { prompt: number; response: number } },
): Record<string, OptionValue> {
  const grouped = algorithm === 'grpo' || algorithm === 'dapo';
  const own: Record<string, OptionValue> = {
    'trainer.logger': ['console', 'file'],
    'trainer.val_before_train': false,
    'actor_rollout_ref.actor.calculate_entropy': true,
    'actor_rollout_ref.rollout.name': 'vllm',
    'actor_rollout_ref.rollout.max_model_len': length.prompt + length.response,
    'actor_rollout_ref.model.use_remove_padding': true,
    'actor_rollout_ref.model.enable_gradient_checkpointing': true,
    'actor_rollout_ref.rollout.gpu_memory_utilization': 0.5,
    '+ray_kwargs.ray_init.include_dashboard': false,
    ...(grouped ? { 'algorithm.use_kl_in_reward': false, 'actor_rollout_ref.actor.use_kl_loss': false } : {}),
    ...(algorithm === 'dapo'
      ? {
          'actor_rollout_ref.actor.kl_loss_coef': 0,
          'actor_rollout_ref.actor.clip_ratio_low': 0.2,
          'actor_rollout_ref.actor.clip_ratio_high': 0.28,
          'actor_rollout_ref.actor.clip_ratio_c': 10,
          'actor_rollout_ref.actor.loss_agg_mode': 'token-mean',
        }
      : {}),
  };
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) =>
        !name.startsWith('hydra.') &&
        !(Object.hasOwn(own, name) && JSON.stringify(own[name]) === JSON.stringify(value)),
    ),
  );
}
