import type { OptionValue } from '../../study/settings.ts';
import type { Taken } from './take.ts';

/** How long it runs. */
export function takeSteps(
  taken: Taken,
  defaults: (name: string) => OptionValue | undefined,
): Record<string, OptionValue> {
  const line = taken.lineOf('trainer.total_training_steps');
  const steps = taken.takeNumber('trainer.total_training_steps');
  const given = taken.takeNumber('trainer.total_epochs');
  const epochs = given ?? Number(defaults('trainer.total_epochs') ?? 30);
  if (steps !== undefined && steps > 0) {
    // An epoch has one step at least.
    if (epochs < steps) {
      const whose = given === undefined ? "verl's own" : 'of the launch';
      const message = `verl stops at ${steps} steps or after ${epochs} epochs (${whose}), whichever comes first; \`steps: ${steps}\` is written.`;
      const hint = `If the data has fewer than ${steps} steps in ${epochs} epochs, write \`epochs: ${epochs}\` instead.`;
      taken.note(line, 'trainer.total_epochs', 'chosen', message, hint);
    }
    return { steps };
  }
  taken.take('trainer.total_training_steps');
  return { epochs };
}

/** Replies of one forward pass; none where they are packed by tokens. */
export function takeMicro(taken: Taken, line: number): Record<string, OptionValue> {
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

/** When it validates and saves, and what stays. */
export function takeSaving(taken: Taken, line: number): Record<string, OptionValue> {
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
