/**
 * Keys that verl 0.9.1 still accepts and that its trainer does not read, or reads under another name; with what
 * took their place. A key stands for all below it; of two that fit, the longer one counts. The names are those of
 * verl's own `migrate_legacy_reward_impl`, which `main_ppo` of 0.9.1 does not call.
 */
export const ignoredByVerl: Record<string, string> = {
  custom_reward_function: 'reward.custom_reward_function',
  reward_model: 'nothing: of what is below `reward`, no key is this one',
  'reward_model.num_workers': 'reward.num_workers',
  'reward_model.reward_manager': 'reward.reward_manager.name',
  'reward_model.reward_loop_source': 'reward.reward_manager.source',
  'reward_model.reward_loop_module_path': 'reward.reward_manager.module.path',
  'reward_model.reward_loop_class_name': 'reward.reward_manager.module.name',
  'reward_model.reward_kwargs': 'reward.reward_kwargs',
  'reward_model.enable': 'reward.reward_model.enable',
  'reward_model.enable_resource_pool': 'reward.reward_model.enable_resource_pool',
  'reward_model.n_gpus_per_node': 'reward.reward_model.n_gpus_per_node',
  'reward_model.nnodes': 'reward.reward_model.nnodes',
  'reward_model.model.path': 'reward.reward_model.model_path',
  'reward_model.rollout': 'reward.reward_model.rollout',
  sandbox_fusion: 'reward.sandbox_fusion',
  'algorithm.filter_groups.max_num_gen_batches':
    'nothing: prompts are drawn again until the batch is full, without a bound on tries',
  'actor_rollout_ref.actor.ulysses_sequence_parallel_size': 'parallel.sequence of the stage',
  'actor_rollout_ref.ref.ulysses_sequence_parallel_size': 'parallel.sequence of the stage',
};

const longestFirst = Object.keys(ignoredByVerl).sort((a, b) => b.length - a.length);

/** What to write instead of a key that verl ignores, if it is one; a sentence where no key took its place. */
export function replacementFor(key: string): string | undefined {
  const dead = longestFirst.find((name) => key === name || key.startsWith(`${name}.`));
  const now = dead === undefined ? undefined : ignoredByVerl[dead];
  return dead === undefined || now === undefined || now.includes(' ') ? now : now + key.slice(dead.length);
}
