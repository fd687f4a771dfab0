import { type SeedRow, seedOf } from '../../seeds/table.ts';
import { namesOf, type StageOf } from '../../study/stage-schemas.ts';
import type { Machine } from '../../study/target-schema.ts';
import { inputLinks, modelToldAt } from '../input-links.ts';
import type { StudyWords } from '../settings-builder.ts';
import type { StageContext } from '../stage-context.ts';
import { algorithmWords, dapoOwned } from './algorithms.ts';
import { engineOwned, engineWords } from './engines.ts';
import { rlSeedOptions } from './seeds.ts';

type RlStage = StageOf<'rl'>;

/** Nodes of the trainer itself: a reward model that has GPUs of its own takes whole nodes. */
export function trainerNodes(stage: RlStage, machine: Machine): number {
  return machine.nodes - (stage.reward.serve?.nodes ?? 0);
}

/** Rollout engines of the trainer: verl makes as many as the GPUs allow. */
export function rolloutEngines(stage: RlStage, machine: Machine): number {
  const set = (name: string): number => {
    const value = stage.options[`actor_rollout_ref.rollout.${name}`];
    return typeof value === 'number' ? value : 1;
  };
  const each =
    rolloutTensor(stage, machine) * set('data_parallel_size') * set('pipeline_model_parallel_size');
  return Math.max(1, Math.floor((trainerNodes(stage, machine) * Math.max(1, machine.gpusPerNode)) / each));
}

function rolloutTensor(stage: RlStage, machine: Machine): number {
  return machine.gpusPerNode === 0 ? 1 : stage.parallel.rollout_tensor;
}

/** What the study says in its own words, as options of verl. */
export function verlWords(context: StageContext<RlStage>, seeds: readonly SeedRow[]): StudyWords {
  const { study, stage, machine } = context;
  const { batch, length } = stage;
  const links = inputLinks(study, stage);
  const one = (files: string[]) => (files.length === 1 ? (files[0] ?? '') : files);
  const validation = namesOf(stage.validation).length === 0 ? links.data : links.validation;
  const tensor = rolloutTensor(stage, machine);
  return {
    ...algorithmWords(stage),
    'actor_rollout_ref.rollout.tensor_model_parallel_size': { value: tensor, key: 'parallel.rollout_tensor' },
    'trainer.nnodes': { value: trainerNodes(stage, machine), key: 'nodes' },
    'trainer.n_gpus_per_node': { value: Math.max(1, machine.gpusPerNode), key: 'nodes' },
    'trainer.test_freq': { value: stage.validate_every ?? -1, key: 'validate_every' },
    'data.train_files': { value: one(links.data), key: 'prompts' },
    'data.val_files': { value: one(validation), key: 'validation' },
    'data.train_batch_size': { value: batch.prompts, key: 'batch.prompts' },
    'data.max_prompt_length': { value: length.prompt, key: 'length.prompt' },
    'data.max_response_length': { value: length.response, key: 'length.response' },
    'actor_rollout_ref.model.path': {
      value: links.model,
      key: 'model',
      from: modelToldAt(study, context.stageName, stage.model),
    },
    ...engineWords(stage),
    'actor_rollout_ref.actor.ppo_mini_batch_size': { value: batch.mini, key: 'batch.mini' },
    ...microBatches(stage),
    'actor_rollout_ref.rollout.n': { value: batch.samples, key: 'batch.samples' },
    'actor_rollout_ref.rollout.max_model_len': { value: length.prompt + length.response, key: 'length' },
    'actor_rollout_ref.actor.checkpoint.save_contents': {
      value: stage.resumable ? ['model', 'optimizer', 'extra', 'hf_model'] : ['hf_model'],
      key: 'resumable',
    },
    ...rewardWords(stage, links.rewardModel),
    ...(stage.steps === undefined
      ? { 'trainer.total_epochs': { value: stage.epochs ?? 1, key: 'epochs' } }
      : {
          // verl stops at whichever comes first; an epoch has one step at least.
          'trainer.total_epochs': { value: stage.steps, key: 'steps' },
          'trainer.total_training_steps': { value: stage.steps, key: 'steps' },
        }),
    'trainer.save_freq': { value: stage.save_every, key: 'save_every' },
    ...(stage.keep === undefined
      ? {}
      : { 'trainer.max_actor_ckpt_to_keep': { value: stage.keep, key: 'keep' } }),
    'trainer.project_name': { value: study.name, key: 'name' },
    'trainer.experiment_name': { value: context.stageName, key: 'name' },
    'trainer.default_local_dir': { value: 'out/checkpoints', key: 'attempt' },
    'trainer.rollout_data_dir': { value: 'out/rollouts', key: 'attempt' },
    ...Object.fromEntries(
      rlSeedOptions(stage).map((key) => [key, { value: seedOf(seeds, key), key: 'seeds' }]),
    ),
  };
}

function microBatches({ batch }: RlStage): StudyWords {
  const value = batch.micro_per_device;
  if (value === undefined) return {};
  return Object.fromEntries(microOptions.map((name) => [name, { value, key: 'batch.micro_per_device' }]));
}

const microOptions = [
  'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu',
  'actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu',
  'actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu',
];

function rewardWords({ reward }: RlStage, model: string): StudyWords {
  const [where = '', name = ''] = splitAtLast(reward.python ?? reward.file ?? '');
  const key = reward.python === undefined ? 'reward.file' : 'reward.python';
  const path = reward.python === undefined ? `inputs/reward/${where.split('/').at(-1)}` : `pkg://${where}`;
  return {
    ...(reward.by === undefined
      ? {
          'reward.custom_reward_function.path': { value: path, key },
          'reward.custom_reward_function.name': { value: name, key },
        }
      : {}),
    ...(reward.serve === undefined
      ? {}
      : {
          'reward.reward_model.enable': { value: true, key: 'reward.model' },
          'reward.reward_model.enable_resource_pool': { value: true, key: 'reward.serve' },
          'reward.reward_model.nnodes': { value: reward.serve.nodes, key: 'reward.serve.nodes' },
          'reward.reward_model.n_gpus_per_node': {
            value: reward.serve.gpus_per_node,
            key: 'reward.serve.gpus_per_node',
          },
          'reward.reward_model.model_path': { value: model, key: 'reward.model' },
          'reward.reward_model.rollout.name': { value: 'vllm', key: 'reward.serve' },
          'reward.reward_model.rollout.tensor_model_parallel_size': {
            value: reward.serve.tensor,
            key: 'reward.serve.tensor',
          },
        }),
  };
}

function splitAtLast(text: string): string[] {
  const at = text.lastIndexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Options of verl that the study says in its own words, and the words. */
export function rlOwnedOptions(stage: RlStage): Record<string, string> {
  return {
    ...always,
    ...engineOwned(stage),
    ...(stage.batch.micro_per_device === undefined
      ? {}
      : {
          'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu': 'batch.micro_per_device',
          'actor_rollout_ref.actor.ppo_micro_batch_size': 'batch.micro_per_device',
          'actor_rollout_ref.rollout.log_prob_micro_batch_size': 'batch.micro_per_device',
          'actor_rollout_ref.ref.log_prob_micro_batch_size': 'batch.micro_per_device',
        }),
    ...(stage.reward.by === undefined ? { 'reward.custom_reward_function.path': 'reward' } : {}),
    ...(stage.reward.serve === undefined ? {} : served),
    ...(stage.algorithm === 'dapo' ? dapoOwned : {}),
    ...Object.fromEntries(rlSeedOptions(stage).map((name) => [name, 'seeds'])),
  };
}

const served: Record<string, string> = {
  'reward.reward_model.enable': 'reward.model',
  'reward.reward_model.enable_resource_pool': 'reward.serve',
  'reward.reward_model.nnodes': 'reward.serve.nodes',
  'reward.reward_model.n_gpus_per_node': 'reward.serve.gpus_per_node',
  'reward.reward_model.model_path': 'reward.model',
};

const nothing = 'nothing: each attempt has its own folder';
const later = 'nothing: resuming is decided at run time';
const always: Record<string, string> = {
  'algorithm.adv_estimator': 'algorithm',
  'data.train_files': 'prompts',
  'data.val_files': 'validation',
  'data.train_batch_size': 'batch.prompts',
  'data.max_prompt_length': 'length.prompt',
  'data.max_response_length': 'length.response',
  'actor_rollout_ref.model.path': 'model',
  'actor_rollout_ref.actor.ppo_mini_batch_size': 'batch.mini',
  'actor_rollout_ref.rollout.n': 'batch.samples',
  'actor_rollout_ref.rollout.tensor_model_parallel_size': 'parallel.rollout_tensor',
  'actor_rollout_ref.actor.checkpoint.save_contents': 'resumable',
  'reward.custom_reward_function.name': 'reward',
  'trainer.nnodes': 'target',
  'trainer.n_gpus_per_node': 'target',
  'trainer.device': 'target',
  'trainer.test_freq': 'validate_every',
  'trainer.total_training_steps': 'steps or epochs',
  'trainer.total_epochs': 'steps or epochs',
  'trainer.save_freq': 'save_every',
  'trainer.max_actor_ckpt_to_keep': 'keep',
  'trainer.project_name': 'name',
  'trainer.experiment_name': 'name',
  'trainer.default_local_dir': nothing,
  'trainer.rollout_data_dir': nothing,
  'trainer.resume_mode': later,
  'trainer.resume_from_path': later,
};
