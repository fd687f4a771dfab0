import type { StageOf } from '../../study/stage-schemas.ts';
import type { OwnChoices, StudyWords } from '../settings-builder.ts';

type RlStage = StageOf<'rl'>;

/** What an algorithm is made of, said in full, because verl's defaults are those of PPO. */
export function algorithmChoices({ algorithm }: RlStage): OwnChoices {
  switch (algorithm) {
    case 'grpo':
      return { ...groupChoices, ...noPenalty };
    case 'dapo':
      return { ...groupChoices, ...noPenalty, ...dapoChoices };
    default:
      return {};
  }
}

/** Advantages within the replies of one prompt. */
const groupChoices: OwnChoices = {
  'algorithm.use_kl_in_reward': { value: false, why: 'the reward is compared within a group, as it is' },
};

const noPenalty: OwnChoices = {
  'actor_rollout_ref.actor.use_kl_loss': { value: false, why: 'no reference model unless the study asks' },
};

/** DAPO: arXiv 2503.14476; as verl 0.9.1 knows its parts. */
const dapoChoices: OwnChoices = {
  'actor_rollout_ref.actor.kl_loss_coef': { value: 0, why: 'DAPO has no KL term' },
  'actor_rollout_ref.actor.clip_ratio_low': { value: 0.2, why: "DAPO's lower clip" },
  'actor_rollout_ref.actor.clip_ratio_high': { value: 0.28, why: "DAPO's higher clip: room to explore" },
  'actor_rollout_ref.actor.clip_ratio_c': { value: 10, why: "DAPO's bound for negative advantages" },
  'data.gen_batch_size': { value: 1, why: 'prompts drawn again are counted one by one' },
  'actor_rollout_ref.actor.loss_agg_mode': { value: 'token-mean', why: 'each token counts the same' },
};

/** The estimator, and what DAPO adds of the study's own words. */
export function algorithmWords(stage: RlStage): StudyWords {
  const estimator = stage.algorithm === 'dapo' ? 'grpo' : stage.algorithm;
  const words: StudyWords = { 'algorithm.adv_estimator': { value: estimator, key: 'algorithm' } };
  return stage.algorithm === 'dapo' ? { ...words, ...dapoWords(stage) } : words;
}

function dapoWords(stage: RlStage): StudyWords {
  const { filter, overlong, length } = stage;
  return {
    'algorithm.filter_groups.enable': { value: true, key: 'algorithm' },
    'algorithm.filter_groups.metric': { value: filter?.metric ?? 'reward', key: 'filter.metric' },
    'algorithm.filter_groups.max_inflight_gen_batches': {
      value: filter?.inflight ?? 2,
      key: 'filter.inflight',
    },
    'reward.reward_manager.name': { value: 'dapo', key: 'algorithm' },
    'reward.reward_kwargs.max_resp_len': { value: length.response, key: 'length.response' },
    'reward.reward_kwargs.overlong_buffer_cfg': {
      value: {
        enable: true,
        len: overlong?.buffer ?? 0,
        penalty_factor: overlong?.penalty ?? 1,
        log: true,
      },
      key: 'overlong',
    },
  };
}

/** Options that DAPO's words hold; with another algorithm they are options like any. */
export const dapoOwned: Record<string, string> = {
  'algorithm.filter_groups.enable': 'algorithm: dapo',
  'algorithm.filter_groups.metric': 'filter.metric',
  'algorithm.filter_groups.max_inflight_gen_batches': 'filter.inflight',
  'reward.reward_manager.name': 'algorithm: dapo',
  'reward.reward_kwargs.max_resp_len': 'length.response',
  'reward.reward_kwargs.overlong_buffer_cfg': 'overlong',
};
