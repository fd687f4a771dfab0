import { isMegatron, swiftCommand } from '../../stages/swift/command.ts';
import { rowsOf } from '../../stages/swift/kept-rows.ts';
import type { SwiftStage } from '../../study/stage-schemas.ts';
import { textOf } from '../../study/text-of.ts';
import { type Broken, type Rule, when } from '../rule.ts';
import { unknownLossScale, unknownNames, unsaidTraits } from './names.ts';

const on = (value: unknown): boolean => value === true;

/** What must hold for every command of ms-swift. */
export const sharedRules: readonly Rule<SwiftStage>[] = [
  {
    options: ['truncation_strategy', 'strict', 'streaming', 'lazy_tokenize', 'split_dataset_ratio'],
    says: 'Rows that may be dropped must be counted: the study says how many there are, and nothing hides them.',
    check: ({ get, stage, context }) => {
      if (typeof stage.overlong !== 'object') return [];
      const hidden = ['streaming', 'lazy_tokenize'].find((option) => on(get(option)));
      const counted = rowsOf(context.study, stage) !== undefined;
      return [
        ...when(!counted, 'rows that may be dropped are counted: give `data.NAME.rows`.', {
          hint: 'Or write `overlong: error`, which stops at the first.',
        }),
        ...when(isMegatron(swiftCommand(stage)), 'nothing counts the rows that Megatron-SWIFT drops.', {
          hint: 'Write `overlong: error`, left or right.',
        }),
        ...when(hidden !== undefined, `with \`${hidden}\` dropped rows cannot be counted.`, {
          option: hidden ?? 'streaming',
        }),
        ...when(
          Number(get('split_dataset_ratio') ?? 0) > 0,
          'rows that are split off cannot be told from dropped ones.',
          {
            option: 'split_dataset_ratio',
            hint: 'Name rows to validate on in `validation`.',
          },
        ),
      ];
    },
  },
  {
    options: ['rlhf_type'],
    says: 'A method must be one that the command has.',
    check: ({ stage, table }) => {
      const known = table.options['rlhf_type']?.choices ?? [];
      const wrong = stage.kind === 'rlhf' && !known.includes(stage.method);
      return when(wrong, `${stage.trainer} has no such method.`, {
        option: 'rlhf_type',
        hint: `One of ${known.join(', ')}.`,
      });
    },
  },
  {
    options: ['num_generations', 'reward_funcs', 'reward_model', 'reward_model_plugin'],
    says: 'GRPO compares the replies of one prompt: groups must fill the batch, and something must judge them.',
    check: ({ get, isSet, stage }) => {
      if (stage.kind !== 'rlhf' || stage.method !== 'grpo') return [];
      const group = Number(get('num_generations') ?? 8);
      const judges = [
        'reward_funcs',
        'reward_model',
        'gym_env',
        'use_gym_env',
        'multi_turn_scheduler',
        'vllm_server_host',
      ];
      return [
        ...when(!judges.some(isSet), 'GRPO needs `reward_funcs` or `reward_model`.', {
          option: 'reward_funcs',
        }),
        ...when(group < 2, `\`num_generations\` ${group}: the advantage compares at least 2 replies.`),
        ...when(
          group >= 2 && stage.batch.global % group !== 0,
          `batch.global ${stage.batch.global} is not a multiple of num_generations ${group}.`,
        ),
      ];
    },
  },
  {
    options: ['learning_rate', 'lr', 'lora_rank', 'warmup_ratio', 'split_dataset_ratio'],
    says: 'A learning rate is above 0 and at most 1, a rank 1 or more, a ratio from 0 to 1.',
    check: ({ get, settings }) => {
      const set = (option: string): number | undefined =>
        settings[option] === undefined ? undefined : Number(get(option));
      const out = (option: string, low: number, high: number, inside: boolean): Broken[] => {
        const value = set(option);
        const wrong =
          value !== undefined && (inside ? value < low || value > high : value <= low || value > high);
        return when(wrong, `${value} is not from ${low} to ${high}.`, { option });
      };
      return [
        ...out('learning_rate', 0, 1, false),
        ...out('lr', 0, 1, false),
        ...out('lora_rank', 1, 65_536, true),
        ...out('warmup_ratio', 0, 1, true),
        ...out('split_dataset_ratio', 0, 0.99, true),
      ];
    },
  },
  {
    options: ['save_strategy', 'save_steps'],
    says: 'Checkpoints are counted in steps.',
    check: ({ get }) =>
      when(
        ['epoch', 'best'].includes(textOf(get('save_strategy'))),
        '`save_every` counts steps, and this would save by something else.',
        {
          option: 'save_strategy',
          hint: 'Leave it out.',
        },
      ),
  },
  {
    options: [
      'external_plugins',
      'custom_register_path',
      'deepspeed',
      'cached_dataset',
      'custom_dataset_info',
    ],
    says: 'A file that an option names is no input of the job: it must be there by its whole path.',
    check: ({ settings }) =>
      [
        'external_plugins',
        'custom_register_path',
        'deepspeed',
        'cached_dataset',
        'custom_dataset_info',
      ].flatMap((option) => {
        const { value, key } = settings[option] ?? {};
        if (key === undefined || !key.startsWith('options.')) return [];
        const relative = (Array.isArray(value) ? value : [value]).filter(
          (path) => typeof path === 'string' && /[/.]/.test(path) && !/^[/~$[{]/.test(path),
        );
        return when(
          relative.length > 0,
          `\`${textOf(relative[0])}\` would be looked for in the folder of the attempt.`,
          {
            option,
            hint: 'Write its whole path on the nodes.',
          },
        );
      }),
  },
  {
    options: ['ignore_args_error'],
    says: 'A wrong option is an error, not a warning.',
    check: ({ get }) =>
      when(on(get('ignore_args_error')), 'it lets wrong options pass.', { hint: 'Leave it out.' }),
  },
  {
    options: [
      'lora_rank',
      'lora_alpha',
      'lora_dropout',
      'target_modules',
      'use_rslora',
      'use_dora',
      'lorap_lr_ratio',
    ],
    says: 'Options of adapters do nothing in a full fine-tuning.',
    check: ({ settings, get }) =>
      get('tuner_type') !== 'full'
        ? []
        : [
            'lora_rank',
            'lora_alpha',
            'lora_dropout',
            'target_modules',
            'use_rslora',
            'use_dora',
            'lorap_lr_ratio',
          ]
            .filter((option) => settings[option] !== undefined)
            .map((option) => ({
              option,
              message: `\`${option}\` does nothing with \`tuner_type: full\`.`,
              hint: 'Leave it out, or set `tuner_type: lora`.',
            })),
  },
  {
    options: ['template', 'model_type', 'loss_scale', 'deepspeed', 'optim', 'attn_impl'],
    says: 'A name that ms-swift only looks up when the model is loaded is looked up here.',
    check: (context) => [...unsaidTraits(context), ...unknownNames(context), ...unknownLossScale(context)],
  },
];
