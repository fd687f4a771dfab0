import type { SwiftStage } from '../../study/stage-schemas.ts';
import { type Rule, when } from '../rule.ts';

const on = (value: unknown): boolean => value === true;

/** What must hold between options of Megatron-SWIFT. */
export const megatronRules: readonly Rule<SwiftStage>[] = [
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
