import type { StageOf } from '../../study/stage-schemas.ts';
import type { Override } from './overrides.ts';
import { rlSeedOptions } from './seeds.ts';

/** GRPO as the algorithm needs it: advantages within a prompt's group, no critic, no KL in the reward. */
export const grpoOverrides: readonly Override[] = [
  { key: 'algorithm.adv_estimator', value: 'grpo' },
  { key: 'algorithm.use_kl_in_reward', value: false },
  { key: 'actor_rollout_ref.actor.strategy', value: 'fsdp2' },
  { key: 'actor_rollout_ref.actor.calculate_entropy', value: true },
  { key: 'actor_rollout_ref.rollout.name', value: 'vllm' },
  { key: 'actor_rollout_ref.rollout.tensor_model_parallel_size', value: 1 },
  { key: 'trainer.nnodes', value: 1 },
  { key: 'trainer.n_gpus_per_node', value: 1 },
  { key: 'trainer.logger', value: ['console', 'file'] },
  { key: 'trainer.val_before_train', value: false },
  { key: 'trainer.test_freq', value: -1 },
  { key: 'trainer.resume_mode', value: 'disable' },
  { key: 'hydra.run.dir', value: 'out/hydra' },
];

/** What the study says in its own words, as options of verl. */
export function stageOverrides(stage: StageOf<'rl'>, studyName: string): Override[] {
  const { batch, length } = stage;
  const [rewardModule = '', rewardName = ''] = stage.reward.python.split(':');
  const contents = ['model', 'optimizer', 'extra', 'hf_model'];
  return [
    { key: 'data.train_files', value: 'inputs/prompts.parquet' },
    { key: 'data.val_files', value: 'inputs/prompts.parquet' },
    { key: 'data.train_batch_size', value: batch.prompts },
    { key: 'data.max_prompt_length', value: length.prompt },
    { key: 'data.max_response_length', value: length.response },
    { key: 'actor_rollout_ref.model.path', value: 'inputs/model' },
    { key: 'actor_rollout_ref.actor.ppo_mini_batch_size', value: batch.mini },
    { key: 'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu', value: batch.micro_per_device },
    { key: 'actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu', value: batch.micro_per_device },
    { key: 'actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu', value: batch.micro_per_device },
    { key: 'actor_rollout_ref.rollout.n', value: batch.samples },
    { key: 'actor_rollout_ref.rollout.max_model_len', value: length.prompt + length.response },
    { key: 'actor_rollout_ref.actor.checkpoint.save_contents', value: contents },
    { key: 'reward.custom_reward_function.path', value: `pkg://${rewardModule}` },
    { key: 'reward.custom_reward_function.name', value: rewardName },
    { key: 'trainer.total_epochs', value: stage.steps },
    { key: 'trainer.total_training_steps', value: stage.steps },
    { key: 'trainer.save_freq', value: stage.save_every },
    { key: 'trainer.project_name', value: studyName },
    { key: 'trainer.experiment_name', value: 'rl' },
    { key: 'trainer.default_local_dir', value: 'out/checkpoints' },
    { key: 'trainer.rollout_data_dir', value: 'out/rollouts' },
  ];
}

/** Options of verl that the study says in its own words, and the words. */
export const rlOwnedOptions: Record<string, string> = {
  'data.train_files': 'prompts',
  'data.train_batch_size': 'batch.prompts',
  'data.max_prompt_length': 'length.prompt',
  'data.max_response_length': 'length.response',
  'actor_rollout_ref.model.path': 'model',
  'actor_rollout_ref.actor.ppo_mini_batch_size': 'batch.mini',
  'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu': 'batch.micro_per_device',
  'actor_rollout_ref.rollout.n': 'batch.samples',
  'reward.custom_reward_function.path': 'reward',
  'reward.custom_reward_function.name': 'reward',
  'trainer.total_training_steps': 'steps',
  'trainer.total_epochs': 'steps',
  'trainer.save_freq': 'save_every',
  'trainer.default_local_dir': 'nothing: each attempt has its own folder',
  'trainer.resume_mode': 'nothing: resuming is decided at run time',
  'trainer.resume_from_path': 'nothing: resuming is decided at run time',
  'algorithm.adv_estimator': 'algorithm',
  ...Object.fromEntries(rlSeedOptions.map((name) => [name, 'seeds'])),
};
