import { isMegatron, swiftCommand } from '../../stages/swift/command.ts';
import { rowsOf } from '../../stages/swift/kept-rows.ts';
import type { SwiftStage } from '../../study/stage-schemas.ts';
import { type Rule, when } from '../rule.ts';
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
