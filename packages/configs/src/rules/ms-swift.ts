import { registryOf } from '../options/tables.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import { rowsOf } from '../stages/swift/kept-rows.ts';
import { deepspeedPreset } from '../stages/swift/study-words.ts';
import { suggestName } from '../study/nearest.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { type Broken, type Rule, type RuleContext, when } from './rule.ts';

type SwiftRule = Rule<SwiftStage>;
type Context = RuleContext<SwiftStage>;

const flash = ['flash_attn', 'flash_attention_2', 'flash_attention_3', 'flash_attention_4'];
const on = (value: unknown): boolean => value === true;

/** What must hold between options of `swift sft` and `swift rlhf`. */
const plainRules: readonly SwiftRule[] = [
  {
    options: ['packing', 'padding_free', 'attn_impl'],
    says: 'Packed rows need flash attention; without it one row would see the others of its pack.',
    check: ({ get }) => {
      const packs = ['packing', 'padding_free'].find((option) => on(get(option)));
      const wrong = packs !== undefined && !flash.includes(String(get('attn_impl')));
      return when(wrong, `\`${packs}\` needs flash attention, not ${shown(get('attn_impl'))}.`, {
        option: packs ?? 'packing',
        hint: 'Set `attn_impl: flash_attn`.',
      });
    },
  },
  {
    options: ['packing', 'lazy_tokenize', 'streaming'],
    says: 'Packing needs every length beforehand, which lazy tokenizing does not know; a packed stream cannot be resumed.',
    check: ({ get, stage }) => [
      ...when(
        on(get('packing')) && on(get('lazy_tokenize')),
        '`packing` and `lazy_tokenize` exclude each other.',
      ),
      ...when(
        on(get('packing')) && on(get('streaming')) && stage.resumable,
        'a packed stream cannot be resumed: its rows cannot be skipped.',
        { option: 'streaming', hint: 'Leave `streaming` out, or write `resumable: false`.' },
      ),
    ],
  },
  {
    options: ['streaming', 'max_steps'],
    says: 'A stream has no length, so the steps must be given.',
    check: ({ get, stage }) =>
      when(
        on(get('streaming')) && stage.steps === undefined,
        '`streaming` needs `steps`: a stream has no length.',
      ),
  },
  {
    options: ['deepspeed', 'fsdp', 'deepspeed_autotp_size'],
    says: 'One of DeepSpeed and FSDP spreads the states, never both; automatic tensor parallel needs ZeRO 0 to 2.',
    check: ({ get, settings, stage }) => [
      ...when(get('deepspeed') != null && get('fsdp') != null, 'DeepSpeed and FSDP exclude each other.'),
      ...when(
        settings['deepspeed']?.key === 'options.deepspeed' && deepspeedPreset(stage.parallel) !== null,
        '`deepspeed` is said twice: here and by `parallel.sharding`.',
        { hint: 'Keep one of them.' },
      ),
      ...when(
        get('deepspeed_autotp_size') != null && !/^zero[012]$/.test(String(get('deepspeed'))),
        '`deepspeed_autotp_size` works with zero0, zero1 and zero2 only.',
        { option: 'deepspeed_autotp_size' },
      ),
    ],
  },
  {
    options: ['deepspeed'],
    says: 'States rest in host memory through DeepSpeed only.',
    check: ({ stage }) =>
      when(
        stage.parallel.offload === 'all' && !['zero2', 'zero3'].includes(stage.parallel.sharding),
        `\`parallel.offload\` needs zero2 or zero3, not ${stage.parallel.sharding}.`,
      ),
  },
  {
    options: ['warmup_ratio', 'warmup_steps'],
    says: 'The warm-up is a ratio or a number of steps.',
    check: ({ get }) =>
      when(
        Number(get('warmup_ratio') ?? 0) > 0 && Number(get('warmup_steps') ?? 0) > 0,
        '`warmup_ratio` and `warmup_steps` say the same thing: give one.',
        { option: 'warmup_steps' },
      ),
  },
  {
    options: ['save_strategy', 'resume_only_model', 'ignore_data_skip'],
    says: 'A run that fails must be able to go on with its optimizer, its schedule and its data.',
    check: ({ get, stage }) =>
      !stage.resumable
        ? []
        : [
            ...when(get('save_strategy') === 'no', 'without checkpoints nothing can be resumed.', {
              option: 'save_strategy',
              hint: 'Write `resumable: false` if that is meant.',
            }),
            ...['resume_only_model', 'ignore_data_skip'].flatMap((option) =>
              when(on(get(option)), `\`${option}\` makes a resumed run another run.`, {
                option,
                hint: 'Write `resumable: false` if that is meant.',
              }),
            ),
          ],
  },
  {
    options: ['create_checkpoint_symlink'],
    says: 'The link is made at the end only, and fails in a folder that was resumed into.',
    check: ({ get }) =>
      when(
        on(get('create_checkpoint_symlink')),
        'it fails in a resumed run; `last-checkpoint` is there already.',
      ),
  },
  {
    options: ['group_by_length', 'train_dataloader_shuffle'],
    says: 'Grouping by length is done by the shuffling sampler.',
    check: ({ get }) =>
      when(
        on(get('group_by_length')) && get('train_dataloader_shuffle') === false,
        '`group_by_length` needs `train_dataloader_shuffle`.',
      ),
  },
  {
    options: ['torch_dtype', 'fp16', 'bf16'],
    says: 'ms-swift turns float32 weights to fp16 autocast unless told otherwise; fp16 and bf16 exclude each other.',
    check: ({ get, isSet }) => [
      ...when(on(get('fp16')) && on(get('bf16')), '`fp16` and `bf16` exclude each other.', {
        option: 'fp16',
      }),
      ...when(
        get('torch_dtype') === 'float32' && !isSet('fp16') && !isSet('bf16'),
        'with float32 weights ms-swift switches fp16 autocast on by itself.',
        { hint: 'Say `fp16: false`, `bf16: false` for true float32, or `bf16: true`.' },
      ),
    ],
  },
  {
    options: ['load_best_model_at_end', 'metric_for_best_model', 'eval_strategy'],
    says: 'A best checkpoint needs rows to validate on.',
    check: ({ get, stage }) =>
      when(
        on(get('load_best_model_at_end')) && stage.validation === undefined,
        '`load_best_model_at_end` needs `validation`: without it no checkpoint is ever best.',
      ),
  },
  {
    options: ['attn_impl', 'use_liger_kernel', 'deepspeed', 'fsdp', 'use_vllm'],
    says: 'Kernels and sharding that need GPUs are refused on a target without.',
    check: ({ get, context }) =>
      context.machine.gpusPerNode > 0
        ? []
        : [
            ...when(flash.includes(String(get('attn_impl'))), 'flash attention needs a GPU.'),
            ...['use_liger_kernel', 'use_vllm'].flatMap((option) =>
              when(on(get(option)), `\`${option}\` needs a GPU.`, { option }),
            ),
            ...when(get('deepspeed') != null, 'the target has no GPU, so there is nothing to shard over.', {
              option: 'deepspeed',
            }),
          ],
  },
  {
    options: ['num_generations', 'reward_funcs', 'reward_model', 'reward_model_plugin'],
    says: 'GRPO compares the replies of one prompt: groups must fill the batch, and something must judge them.',
    check: ({ get, isSet, stage }) => {
      if (stage.kind !== 'rlhf' || stage.method !== 'grpo') return [];
      const group = Number(get('num_generations') ?? 8);
      const judged = ['reward_funcs', 'reward_model', 'gym_env', 'use_gym_env', 'multi_turn_scheduler'].some(
        isSet,
      );
      return [
        ...when(!judged, 'GRPO needs `reward_funcs` or `reward_model`.', { option: 'reward_funcs' }),
        ...when(group < 2, `\`num_generations\` ${group}: the advantage compares at least 2 replies.`),
        ...when(
          group >= 2 && stage.batch.global % group !== 0,
          `batch.global ${stage.batch.global} is not a multiple of num_generations ${group}.`,
        ),
      ];
    },
  },
  {
    options: ['async_save'],
    says: 'A checkpoint must be whole when the trainer says that it is.',
    check: ({ get, stage }) =>
      when(on(get('async_save')) && stage.resumable, '`async_save` cannot be resumed from.'),
  },
];

/** What must hold for every command of ms-swift. */
const sharedRules: readonly SwiftRule[] = [
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

/** What must hold between options of Megatron-SWIFT. */
const megatronRules: readonly SwiftRule[] = [
  {
    options: ['recompute_granularity', 'recompute_method', 'recompute_num_layers'],
    says: 'Full recomputation needs a method and a number of layers.',
    check: ({ get, isSet }) =>
      when(
        get('recompute_granularity') === 'full' &&
          !(isSet('recompute_method') && isSet('recompute_num_layers')),
        '`recompute_granularity: full` needs `recompute_method` and `recompute_num_layers`.',
      ),
  },
  {
    options: ['async_save'],
    says: 'With async_save the tracker names a checkpoint before it is written.',
    check: ({ get, stage }) =>
      when(on(get('async_save')) && stage.resumable, '`async_save` names a checkpoint before it is whole.', {
        hint: 'Leave it out, or write `resumable: false`.',
      }),
  },
  {
    options: ['deepspeed', 'fsdp'],
    says: 'Megatron spreads its states itself.',
    check: ({ stage }) => [
      ...when(stage.parallel.sharding !== 'none', '`parallel.sharding` is for ms-swift without Megatron.'),
      ...when(
        stage.parallel.sequence !== 1,
        '`parallel.sequence` is for ms-swift without Megatron; here: `context`.',
      ),
      ...when(
        stage.parallel.offload !== 'none',
        '`parallel.offload` is for ms-swift without Megatron; here: `optimizer_cpu_offload`.',
      ),
    ],
  },
];

/** Every rule of ms-swift, with the side that it belongs to. */
export function swiftRules(stage: SwiftStage): readonly SwiftRule[] {
  return [...sharedRules, ...(isMegatron(swiftCommand(stage)) ? megatronRules : plainRules)];
}
export const allSwiftRules: readonly SwiftRule[] = [...sharedRules, ...plainRules, ...megatronRules];

/** ms-swift cannot tell from the weights which of several models they are. */
function unsaidTraits({ get, stage }: Context): Broken[] {
  return (['model_type', 'template'] as const)
    .filter((option) => get(option) === '')
    .map((option) => ({
      option,
      message: `ms-swift must be told the ${option} of \`${stage.model}\`.`,
      hint: `Write \`${option === 'model_type' ? 'type' : 'template'}\` in \`models\`.`,
    }));
}

function unknownNames(context: Context): Broken[] {
  const { get } = context;
  const registry = registryOf('ms-swift', '4.6.0');
  const looked: [option: string, valid: readonly string[], open: RegExp][] = [
    ['template', registry.templates, /^$/],
    ['model_type', Object.keys(registry.modelTypes), /^$/],
    // A path or JSON may stand there.
    ['deepspeed', registry.deepspeedPresets, /[/{.]/],
    // A kernel of a hub may stand there.
    ['attn_impl', registry.attentions, /[/]/],
    ['lr_scheduler_type', registry.lrSchedulers, /^$/],
  ];
  return looked.flatMap(([option, valid, open]) => {
    const value = get(option);
    if (
      typeof value !== 'string' ||
      value === '' ||
      valid.includes(value) ||
      open.test(value) ||
      !(option in context.settings)
    )
      return [];
    return [{ option, message: `ms-swift has no ${option} \`${value}\`.`, hint: suggestName(value, valid) }];
  });
}

/** A strategy, or scales, or both, joined by `+`. */
function unknownLossScale({ get, settings }: Context): Broken[] {
  const value = get('loss_scale');
  if (typeof value !== 'string' || settings['loss_scale'] === undefined) return [];
  const { lossScaleStrategies, lossScales } = registryOf('ms-swift', '4.6.0');
  const valid = [...lossScaleStrategies, ...lossScales];
  return value
    .split('+')
    .filter((part) => !valid.includes(part))
    .map((part) => ({
      option: 'loss_scale',
      message: `ms-swift has no loss scale \`${part}\`.`,
      hint: suggestName(part, valid),
    }));
}

function shown(value: unknown): string {
  return value === undefined || value === null ? 'the default' : `\`${String(value)}\``;
}
