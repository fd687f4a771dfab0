import { deepspeedPreset } from '../../stages/swift/study-words.ts';
import type { SwiftStage } from '../../study/stage-schemas.ts';
import { textOf } from '../../study/text-of.ts';
import { type Rule, when } from '../rule.ts';

const flash = ['flash_attn', 'flash_attention_2', 'flash_attention_3', 'flash_attention_4'];
const on = (value: unknown): boolean => value === true;

/** What must hold between options of `swift sft` and `swift rlhf`. */
export const plainRules: readonly Rule<SwiftStage>[] = [
  {
    options: ['packing', 'padding_free', 'attn_impl'],
    says: 'Packed rows need flash attention; without it one row would see the others of its pack.',
    check: ({ get }) => {
      const packs = ['packing', 'padding_free'].find((option) => on(get(option)));
      const wrong = packs !== undefined && !flash.includes(textOf(get('attn_impl')));
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
        get('deepspeed_autotp_size') != null && !/^zero[012]$/.test(textOf(get('deepspeed'))),
        '`deepspeed_autotp_size` works with zero0, zero1 and zero2 only.',
        { option: 'deepspeed_autotp_size' },
      ),
    ],
  },
  {
    options: ['sequence_parallel_size'],
    says: 'Tensor, pipeline and context parallel are for Megatron.',
    check: ({ stage }) =>
      (['tensor', 'pipeline', 'context'] as const).flatMap((word) =>
        when(
          stage.parallel[word] !== 1,
          `\`parallel.${word}\` does nothing without \`trainer: megatron-swift\`.`,
          {
            option: `word:parallel.${word}`,
          },
        ),
      ),
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
            ...when(flash.includes(textOf(get('attn_impl'))), 'flash attention needs a GPU.'),
            ...['use_liger_kernel', 'use_vllm'].flatMap((option) =>
              when(on(get(option)), `\`${option}\` needs a GPU.`, { option }),
            ),
            ...when(get('deepspeed') != null, 'the target has no GPU, so there is nothing to shard over.', {
              option: 'deepspeed',
            }),
          ],
  },
];

function shown(value: unknown): string {
  return value === undefined || value === null ? 'the default' : `\`${textOf(value)}\``;
}
