import type { OptionValue } from '../../study/settings.ts';
import { rlAlgorithms } from '../../study/stage-schemas.ts';
import type { Taken } from './take.ts';

/** The algorithm of a launch: DAPO is GRPO's estimator with all of DAPO's parts. */
export function takeAlgorithm(taken: Taken, line: number): string {
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
  const penalised = ['actor_rollout_ref.actor.use_kl_loss', 'algorithm.use_kl_in_reward'].some(
    (name) => taken.peek(name) === true,
  );
  const byToken = (taken.peek('actor_rollout_ref.actor.loss_agg_mode') ?? 'token-mean') === 'token-mean';
  const isDapo = punished && sampled && manager && asymmetric && byToken && !penalised;
  return estimator === 'grpo' && isDapo ? 'dapo' : estimator;
}

/** The parts of DAPO that a study has words for. */
export function takeDapo(taken: Taken, response: number): Record<string, OptionValue> {
  const branch = '+reward.reward_kwargs.overlong_buffer_cfg';
  const whole = taken.take(branch);
  const config = typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? whole : {};
  const part = (name: string): OptionValue | undefined => taken.take(`${branch}.${name}`) ?? config[name];
  for (const name of ['algorithm.filter_groups.enable', 'reward.reward_manager.name']) taken.take(name);
  const longest = '+reward.reward_kwargs.max_resp_len';
  if (taken.peek(longest) === response) taken.take(longest);
  else taken.drop(longest, `with dapo it is \`length.response\`, ${response}.`);
  taken.drop('data.gen_batch_size', 'with dapo prompts are drawn again one by one.');
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
