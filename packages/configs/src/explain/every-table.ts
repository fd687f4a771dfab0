import type { OptionTable } from '../options/option.ts';
import { optionTable, type TableName } from '../options/tables.ts';

const names: readonly TableName[] = [
  { trainer: 'ms-swift', command: 'sft' },
  { trainer: 'ms-swift', command: 'rlhf' },
  { trainer: 'ms-swift', command: 'megatron-sft' },
  { trainer: 'ms-swift', command: 'megatron-rlhf' },
  { trainer: 'verl', command: 'fsdp' },
  { trainer: 'verl', command: 'megatron' },
];

/** The options of every command of every trainer, of the pinned versions. */
export function everyTable(): OptionTable[] {
  return names.map(optionTable);
}
