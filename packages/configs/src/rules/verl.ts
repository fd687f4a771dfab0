import { groupAlgorithms, type StageOf } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { type Rule, type RuleContext, when } from './rule.ts';
import { ignoredByVerl, replacementFor } from './verl-ignored.ts';

type VerlRule = Rule<StageOf<'rl'>>;

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';
const isGrouped = ({ stage }: RuleContext<StageOf<'rl'>>): boolean =>
  groupAlgorithms.includes(stage.algorithm);

/** What must hold between options of verl, most of which verl accepts in silence. */
export const verlRules: readonly VerlRule[] = [
  {
    options: Object.keys(ignoredByVerl),
    says: 'Keys that the running trainer does not read are refused, with what took their place.',
    check: ({ settings }) =>
      Object.keys(settings).flatMap((option) => {
        const now = replacementFor(option);
        if (now === undefined) return [];
        const message = `verl 0.9.1 accepts \`${option}\` and does not read it.`;
        return [{ option, message, hint: `Its place now: ${now}.` }];
      }),
  },
  {
    options: [`${rollout}.full_determinism`],
    says: 'It gives every sample of a prompt the same seed, so a group has one reply and the gradient is zero.',
    check: (context) =>
      when(
        context.get(`${rollout}.full_determinism`) === true && isGrouped(context),
        `with ${context.stage.algorithm} all samples of a prompt would be the same, and the gradient zero.`,
      ),
  },
  {
    options: [
      `${actor}.clip_ratio_low`,
      `${actor}.clip_ratio_high`,
      `${actor}.clip_ratio`,
      `${actor}.clip_ratio_c`,
    ],
    says: 'The clip is a band around 1: 0 ≤ low < 1, high ≥ 0, and the bound for negative advantages above 1.',
    check: ({ get, isSet }) => {
      const value = (leaf: string): number => Number(get(`${actor}.${leaf}`) ?? Number.NaN);
      return [
        ...when(
          isSet(`${actor}.clip_ratio`),
          '`clip_ratio` does nothing: verl takes clip_ratio_low and clip_ratio_high.',
          {
            option: `${actor}.clip_ratio`,
          },
        ),
        ...when(value('clip_ratio_low') < 0, 'the lower clip is 0 or more.'),
        // CISPO bounds the weight itself, not its distance from 1.
        ...when(
          value('clip_ratio_low') >= 1 && get(`${actor}.policy_loss.loss_mode`) !== 'cispo',
          'the lower clip is from 0 to below 1.',
        ),
        ...when(value('clip_ratio_high') < 0, 'the upper clip is 0 or more.', {
          option: `${actor}.clip_ratio_high`,
        }),
        ...when(value('clip_ratio_c') <= 1, 'the bound for negative advantages is above 1.', {
          option: `${actor}.clip_ratio_c`,
        }),
      ];
    },
  },
  {
    options: [
      `${actor}.clip_ratio_high`,
      `${actor}.loss_agg_mode`,
      `${actor}.use_kl_loss`,
      'algorithm.use_kl_in_reward',
    ],
    says: 'DAPO is an asymmetric clip, a loss by token and no KL term.',
    check: ({ get, stage }) => {
      if (stage.algorithm !== 'dapo') return [];
      const low = Number(get(`${actor}.clip_ratio_low`));
      const high = Number(get(`${actor}.clip_ratio_high`));
      return [
        ...when(high <= low, `DAPO's upper clip is above the lower (${low}), not ${high}.`),
        ...when(get(`${actor}.loss_agg_mode`) !== 'token-mean', "DAPO's loss is a mean over tokens.", {
          option: `${actor}.loss_agg_mode`,
        }),
        ...[`${actor}.use_kl_loss`, 'algorithm.use_kl_in_reward'].flatMap((option) =>
          when(get(option) === true, 'DAPO has no KL term; `algorithm: grpo` may have one.', { option }),
        ),
      ];
    },
  },
  {
    options: ['algorithm.filter_groups.enable', 'algorithm.filter_groups.metric', 'trainer.use_v1'],
    says: 'Dynamic sampling needs a metric, and exists in the v1 trainer only.',
    check: ({ get }) => {
      if (get('algorithm.filter_groups.enable') !== true) return [];
      return [
        ...when(get('algorithm.filter_groups.metric') == null, 'dynamic sampling needs a metric.', {
          hint: '`reward`, or a key that the reward function returns.',
        }),
        ...when(get('trainer.use_v1') === false, 'the v0 trainer does not know dynamic sampling.', {
          option: 'trainer.use_v1',
        }),
      ];
    },
  },
  {
    options: ['trainer.logger'],
    says: 'Metrics reach the ledger through the file logger.',
    check: ({ get }) => {
      const loggers = get('trainer.logger');
      return when(
        !(Array.isArray(loggers) && loggers.includes('file')),
        'without `file` no metric is recorded.',
        {
          hint: "For example: ['console', 'file'].",
        },
      );
    },
  },
  {
    options: [`${actor}.checkpoint.async_save`],
    says: 'With async_save the file that names the newest checkpoint is never written.',
    check: ({ get, stage }) =>
      when(
        get(`${actor}.checkpoint.async_save`) === true && stage.resumable,
        'a run with it starts again at step 0.',
        {
          hint: 'Leave it out, or write `resumable: false`.',
        },
      ),
  },
  {
    options: [`${actor}.checkpoint.load_contents`],
    says: 'What is saved must be loaded again when a run goes on.',
    check: ({ get, stage }) => {
      const loads = get(`${actor}.checkpoint.load_contents`);
      if (!stage.resumable || !Array.isArray(loads)) return [];
      const missing = ['model', 'optimizer', 'extra'].filter((part) => !loads.includes(part));
      return when(missing.length > 0, `a resumed run would lack: ${missing.join(', ')}.`);
    },
  },
  {
    options: [
      `${rollout}.max_model_len`,
      `${rollout}.max_num_batched_tokens`,
      `${rollout}.enable_chunked_prefill`,
    ],
    says: 'The rollout engine must take a whole prompt with its reply.',
    check: ({ get, stage }) => {
      const tokens = stage.length.prompt + stage.length.response;
      const limit = get(`${rollout}.max_model_len`);
      const batched = Number(get(`${rollout}.max_num_batched_tokens`));
      return [
        ...when(
          limit != null && Number(limit) < tokens,
          `max_model_len ${textOf(limit)} is less than a prompt and its reply (${tokens}).`,
        ),
        ...when(
          get(`${rollout}.enable_chunked_prefill`) === false && batched < tokens,
          `without chunked prefill max_num_batched_tokens must be ${tokens} at least.`,
          { option: `${rollout}.max_num_batched_tokens` },
        ),
      ];
    },
  },
  {
    options: [`${actor}.use_dynamic_bsz`, `${actor}.ppo_max_token_len_per_gpu`],
    says: 'A micro-batch that is packed by tokens must take one whole prompt with its reply.',
    check: ({ get, stage }) => {
      if (get(`${actor}.use_dynamic_bsz`) !== true) return [];
      const room = Number(get(`${actor}.ppo_max_token_len_per_gpu`)) * stage.parallel.sequence;
      const tokens = stage.length.prompt + stage.length.response;
      return when(
        room < tokens,
        `ppo_max_token_len_per_gpu × parallel.sequence = ${room} is less than a prompt and its reply (${tokens}).`,
        { option: `${actor}.ppo_max_token_len_per_gpu` },
      );
    },
  },
  {
    options: ['actor_rollout_ref.model.use_remove_padding'],
    says: 'Sequences are shared between GPUs without padding only.',
    check: ({ get, stage }) =>
      when(
        stage.engine !== 'megatron' &&
          stage.parallel.sequence > 1 &&
          get('actor_rollout_ref.model.use_remove_padding') !== true,
        '`parallel.sequence` above 1 needs `use_remove_padding`.',
      ),
  },
  {
    options: [
      `${rollout}.gpu_memory_utilization`,
      `${rollout}.temperature`,
      `${actor}.ppo_epochs`,
      `${actor}.optim.lr`,
    ],
    says: 'Shares are above 0 and at most 1; temperature and learning rate above 0; a batch is used once at least.',
    check: ({ get }) => {
      const share = Number(get(`${rollout}.gpu_memory_utilization`));
      const positive = [`${rollout}.temperature`, `${actor}.optim.lr`].filter(
        (option) => !(Number(get(option)) > 0),
      );
      return [
        ...when(!(share > 0 && share <= 1), `${share} is no share of a card's memory.`),
        ...positive.map((option) => ({ option, message: `${textOf(get(option))} is not above 0.` })),
        ...when(Number(get(`${actor}.ppo_epochs`)) < 1, 'a batch is used once at least.', {
          option: `${actor}.ppo_epochs`,
        }),
      ];
    },
  },
  {
    options: ['critic.enable'],
    says: 'Advantages within a group need no critic.',
    check: (context) =>
      when(
        context.get('critic.enable') === true && isGrouped(context),
        'a critic would be trained and never asked.',
      ),
  },
  {
    options: [`${actor}.fsdp_config.offload_policy`, `${actor}.strategy`],
    says: 'States stay in host memory while training under FSDP2 only.',
    check: ({ stage }) =>
      when(
        stage.parallel.offload === 'always' && stage.engine !== 'fsdp2',
        `\`parallel.offload: always\` needs engine fsdp2, not ${stage.engine}.`,
      ),
  },
  {
    options: ['critic.model.path', 'critic.enable'],
    says: 'An estimator that needs a critic trains one, which must be named.',
    check: ({ stage, isSet }) =>
      when(
        stage.algorithm === 'gae' && !isSet('critic.model.path'),
        'gae trains a critic: without `critic.model.path` verl would take a model of its own choice.',
        {
          option: 'word:algorithm',
          hint: 'Name it under `options`, or take an algorithm without a critic.',
        },
      ),
  },
  {
    options: [
      `${actor}.fsdp_config.ulysses_sequence_parallel_size`,
      `${actor}.megatron.tensor_model_parallel_size`,
    ],
    says: 'Sequence parallel is for FSDP; tensor, pipeline and context parallel for Megatron.',
    check: ({ stage }) => {
      const idle =
        stage.engine === 'megatron' ? (['sequence'] as const) : (['tensor', 'pipeline', 'context'] as const);
      return idle.flatMap((word) =>
        when(stage.parallel[word] !== 1, `\`parallel.${word}\` does nothing with engine ${stage.engine}.`, {
          option: `word:parallel.${word}`,
        }),
      );
    },
  },
  {
    options: ['trainer.val_only', 'trainer.test_freq'],
    says: 'A stage trains; it validates on rows that the study names.',
    check: ({ get, stage }) => [
      ...when(get('trainer.val_only') === true, 'nothing would be trained.', { option: 'trainer.val_only' }),
      ...when(
        stage.validate_every !== undefined && stage.validation === undefined,
        'verl would validate on the prompts themselves.',
        {
          option: 'word:validate_every',
          hint: 'Name other rows in `validation`.',
        },
      ),
    ],
  },
  {
    options: [`${actor}.use_kl_loss`, 'algorithm.use_kl_in_reward'],
    says: 'The KL penalty stands in the loss or in the reward.',
    check: ({ get }) =>
      when(
        get(`${actor}.use_kl_loss`) === true && get('algorithm.use_kl_in_reward') === true,
        'the KL term would be counted twice: in the loss and in the reward.',
      ),
  },
];
