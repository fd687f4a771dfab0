import { optionTable } from '../../options/tables.ts';
import { replacementFor } from '../../rules/verl-ignored.ts';
import { gpuEnv } from '../../stages/gpu-env.ts';
import { verlEnv } from '../../stages/rl/cpu.ts';
import type { OptionValue } from '../../study/settings.ts';
import type { TrainerCommand, TrainerOption } from '../trainer-command.ts';
import type { LeftOver, StageDraft } from './draft.ts';
import { stageEnv, takeSize } from './machine.ts';
import { type Renamed, readOptions } from './options.ts';
import { Taken, whereabouts } from './take.ts';
import { takeAlgorithm, takeDapo } from './verl-algorithm.ts';
import { dropOwn, noteSilent, withLogger, withoutOwn } from './verl-own.ts';
import { verlParallel } from './verl-parallel.ts';
import { refusedLaunch } from './verl-refused.ts';
import { verlReward } from './verl-reward.ts';
import { takeMicro, takeSaving, takeSteps } from './verl-words.ts';

type Engine = 'fsdp' | 'fsdp2' | 'megatron';

/** A launch of verl's `main_ppo` as a stage; of its other programs and engines a study says nothing. */
export function verlStage(launch: TrainerCommand): StageDraft | LeftOver {
  const refused = refusedLaunch(launch);
  if (refused !== undefined) return refused;
  const { engine: tree, options: written } = chooseTree(launch);
  const table = optionTable({ trainer: 'verl', version: '0.9.1', command: tree });
  const { read, left } = readOptions(written, table, movedKey);
  const taken = new Taken(read, left);
  const defaults = (name: string): OptionValue | undefined =>
    table.options[name]?.default as OptionValue | undefined;
  const number = (name: string, otherwise = 1): number =>
    taken.takeNumber(name) ?? Number(defaults(name) ?? otherwise);
  const engine = takeEngine(taken, tree);
  const nodes = takeSize(taken, 'trainer.nnodes', 'nodes', Number(defaults('trainer.nnodes') ?? 1));
  const perNode = Number(defaults('trainer.n_gpus_per_node') ?? 8);
  const gpusPerNode = takeSize(taken, 'trainer.n_gpus_per_node', 'GPUs', perNode);
  const models: StageDraft['models'] = { start: takeModel(taken, launch.line) };
  const { data, prompts, validation } = takeData(taken, launch.line);
  const seedLine = taken.lineOf('data.seed') || launch.line;
  const seed = taken.takeNumber('data.seed') ?? null;
  noteSilent(taken, { line: launch.line, seedLine, seed });
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
  noteConfig(launch, taken);
  // What verl would choose where this program, for DAPO, chooses otherwise.
  const bound = 'actor_rollout_ref.actor.clip_ratio_c';
  const silent: Record<string, OptionValue> =
    algorithm === 'dapo' && !taken.has(bound) ? { [bound]: defaults(bound) ?? 3 } : {};
  // verl validates before the first step unless told otherwise; this program does not.
  if (validation !== null && !taken.has('trainer.val_before_train'))
    silent['trainer.val_before_train'] = true;
  // Former verl had this trainer in a module of its own.
  if (launch.command === 'main_ppo_v0' && !taken.has('trainer.use_v1')) {
    silent['trainer.use_v1'] = false;
    const message = 'the launch runs the older trainer, which `trainer.use_v1: false` chooses today.';
    taken.note(launch.line, 'main_ppo_v0', 'renamed', message);
  }
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

/** A config of the script's own holds options that nobody read. */
function noteConfig({ config }: TrainerCommand, taken: Taken): void {
  if (config?.kind !== 'hydra' || /^(ppo_(megatron_)?trainer(\.yaml)?)?$/.test(config.name ?? '')) return;
  const message = `\`${config.name}\` is no config of verl's own, and was not read: what it sets is missing.`;
  const hint = 'Import that file by itself as well, with `--command verl`.';
  taken.note(config.line, '--config-name', 'not-carried', message, hint);
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

const movedKey: Renamed = (name) => {
  const kwargs = 'reward.reward_kwargs';
  // Before `reward_kwargs` there was this.
  const buffer = 'reward_model.overlong_buffer';
  if (name === buffer || name.startsWith(`${buffer}.`))
    return { now: `${kwargs}.overlong_buffer_cfg${name.slice(buffer.length)}`, added: true };
  const now = replacementFor(name);
  if (now === undefined) return undefined;
  const sequence = '.ulysses_sequence_parallel_size';
  if (name.endsWith(sequence)) return { now: name.replace(sequence, `.fsdp_config${sequence}`) };
  if (now.startsWith('nothing: ')) return { gone: now.slice('nothing: '.length) };
  // verl's tree has none until one is added.
  return now.startsWith(kwargs) ? { now, added: true } : { now };
};

function takeEngine(taken: Taken, tree: 'fsdp' | 'megatron'): Engine {
  const written = taken.take('actor_rollout_ref.actor.strategy');
  for (const name of ['critic.strategy', 'actor_rollout_ref.ref.strategy'])
    if (taken.peek(name) === written) taken.take(name);
  if (tree === 'megatron') return 'megatron';
  if (written === 'fsdp2') return 'fsdp2';
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
