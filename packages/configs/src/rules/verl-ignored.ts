/**
 * Keys that verl 0.9.1 still accepts and that its trainer does not read, or reads under another name; with what
 * took their place. A key stands for all below it.
 */
export const ignoredByVerl: Record<string, string> = {
  custom_reward_function: 'reward.custom_reward_function',
  reward_model: 'reward.reward_model',
  sandbox_fusion: 'reward.sandbox_fusion',
  'algorithm.filter_groups.max_num_gen_batches': 'algorithm.filter_groups.max_inflight_gen_batches',
  'actor_rollout_ref.actor.ulysses_sequence_parallel_size': 'parallel.sequence of the stage',
  'actor_rollout_ref.ref.ulysses_sequence_parallel_size': 'parallel.sequence of the stage',
};

/** What to write instead of a key that verl ignores, if it is one. */
export function replacementFor(key: string): string | undefined {
  const dead = Object.keys(ignoredByVerl).find((name) => key === name || key.startsWith(`${name}.`));
  const now = dead === undefined ? undefined : ignoredByVerl[dead];
  return dead === undefined || now === undefined || now.includes(' ') ? now : now + key.slice(dead.length);
}
