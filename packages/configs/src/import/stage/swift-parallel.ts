import type { OptionValue } from '../../study/settings.ts';
import type { TrainerCommand } from '../trainer-command.ts';
import { accelerateSpread } from './accelerate.ts';
import type { SwiftMachine } from './swift-machine.ts';
import type { Taken } from './take.ts';

/** How a launch of ms-swift spreads a model, in the study's words; words at their default are left out. */
export function swiftParallel(
  taken: Taken,
  launch: TrainerCommand,
  megatron: boolean,
): Record<string, OptionValue> {
  if (megatron) {
    return sizes(taken, {
      tensor: 'tensor_model_parallel_size',
      pipeline: 'pipeline_model_parallel_size',
      context: 'context_parallel_size',
    });
  }
  const preset = /^zero([123])(_offload)?$/.exec(String(taken.peek('deepspeed')));
  // The trainer's own word wins over its launcher's.
  const spread: Record<string, OptionValue> =
    taken.has('deepspeed') || taken.has('fsdp') ? {} : accelerateSpread(launch, taken);
  if (preset !== null && !(preset[1] === '1' && preset[2] !== undefined)) {
    taken.take('deepspeed');
    spread['sharding'] = `zero${preset[1]}`;
    if (preset[2] !== undefined) spread['offload'] = 'all';
  } else if (taken.peek('fsdp') === 'fsdp2') {
    taken.take('fsdp');
    spread['sharding'] = 'fsdp2';
  } else if (taken.has('fsdp')) {
    const line = taken.lineOf('fsdp');
    taken.take('fsdp');
    taken.note(line, 'fsdp', 'not-carried', 'of FSDP a study knows `fsdp2` only.');
  }
  return { ...spread, ...sizes(taken, { sequence: 'sequence_parallel_size' }) };
}

function sizes(taken: Taken, words: Record<string, string>): Record<string, OptionValue> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([word, option]) => {
      const size = taken.takeNumber(option);
      return size === undefined || size === 1 ? [] : [[word, size]];
    }),
  );
}

/** The batch in the study's words. What ms-swift would choose by the number of GPUs is written out. */
export function swiftBatch(
  taken: Taken,
  about: {
    megatron: boolean;
    machine: SwiftMachine;
    parallel: Record<string, OptionValue>;
    defaults: (name: string) => OptionValue | undefined;
  },
): Record<string, OptionValue> {
  const { megatron, machine, parallel, defaults } = about;
  if (megatron) {
    const micro = taken.takeNumber('micro_batch_size') ?? 1;
    return {
      global: taken.takeNumber('global_batch_size') ?? Number(defaults('global_batch_size') ?? 16),
      per_device: micro,
    };
  }
  const world = machine.nodes * machine.processes;
  const replicas = Math.max(1, Math.floor(world / Math.max(1, Number(parallel['sequence'] ?? 1))));
  const perDevice = taken.takeNumber('per_device_train_batch_size') ?? 1;
  const accumulation =
    taken.takeNumber('gradient_accumulation_steps') ??
    Math.max(1, Math.ceil(16 / Math.max(1, perDevice) / world));
  return { global: perDevice * accumulation * replicas, per_device: perDevice };
}
