import type { OptionValue } from '../../study/settings.ts';
import type { Taken } from './take.ts';

type Engine = 'fsdp' | 'fsdp2' | 'megatron';
type Defaults = (name: string) => OptionValue | undefined;

/** How a launch of verl spreads the actor, in the study's words; words at their default are left out. */
export function verlParallel(taken: Taken, engine: Engine, defaults: Defaults): Record<string, OptionValue> {
  const branch = engine === 'megatron' ? 'megatron' : 'fsdp_config';
  const words: Record<string, string> =
    engine === 'megatron'
      ? {
          tensor: 'tensor_model_parallel_size',
          pipeline: 'pipeline_model_parallel_size',
          context: 'context_parallel_size',
        }
      : { sequence: 'ulysses_sequence_parallel_size' };
  const found: Record<string, OptionValue> = {};
  for (const [word, leaf] of Object.entries(words)) {
    const size = taken.takeNumber(`actor_rollout_ref.actor.${branch}.${leaf}`) ?? 1;
    const reference = `actor_rollout_ref.ref.${branch}.${leaf}`;
    if (taken.peek(reference) === size) taken.take(reference);
    if (size !== 1) found[word] = size;
  }
  const rollout = 'actor_rollout_ref.rollout.tensor_model_parallel_size';
  const tensor = taken.takeNumber(rollout) ?? Number(defaults(rollout) ?? 1);
  const offload = takeOffload(taken, engine, branch);
  return {
    ...found,
    ...(offload === 'none' ? {} : { offload }),
    ...(tensor === 1 ? {} : { rollout_tensor: tensor }),
  };
}

/** The word that says most of what a launch offloads; what it says otherwise stays an option. */
function takeOffload(taken: Taken, engine: Engine, branch: string): string {
  const key = (model: string, part: string): string => `actor_rollout_ref.${model}.${branch}.${part}`;
  const says = (part: string): boolean => taken.peek(key('actor', part)) === true;
  const word =
    engine === 'fsdp2' && says('offload_policy')
      ? 'always'
      : says('param_offload') && says('optimizer_offload')
        ? 'all'
        : says('optimizer_offload')
          ? 'optimizer'
          : 'none';
  const written = {
    [key('actor', 'param_offload')]: word === 'all',
    [key('actor', 'optimizer_offload')]: word === 'all' || word === 'optimizer',
    [key('ref', 'param_offload')]: word === 'all',
    ...(engine === 'megatron' ? {} : { [key('actor', 'offload_policy')]: word === 'always' }),
  };
  for (const [name, value] of Object.entries(written)) if (taken.peek(name) === value) taken.take(name);
  // Left unsaid, the reference model would rest where the actor does.
  return word;
}
