import type { OptionTable } from '../../options/option.ts';
import { optionTable } from '../../options/tables.ts';
import type { OptionValue } from '../../study/settings.ts';
import type { StageOf } from '../../study/stage-schemas.ts';
import type { StudyWords } from '../settings-builder.ts';

type RlStage = StageOf<'rl'>;

/** verl's tree of options under an engine. */
export function verlTable({ engine }: Pick<RlStage, 'engine'>): OptionTable {
  const command = engine === 'megatron' ? 'megatron' : 'fsdp';
  return optionTable({ trainer: 'verl', version: '0.9.1', command });
}

/** The choice of Hydra's config group that puts another engine's tree in place; it must come first. */
export function engineGroups({ engine }: Pick<RlStage, 'engine'>): string[] {
  return engine === 'megatron' ? ['model_engine=megatron'] : [];
}

/** How the engine spreads the actor, in the study's words. */
export function engineWords(stage: RlStage): StudyWords {
  const { parallel, engine } = stage;
  const words = (branch: string, values: Record<string, [OptionValue, string]>): StudyWords =>
    Object.fromEntries(
      Object.entries(values).map(([leaf, [value, key]]) => [`${branch}.${leaf}`, { value, key }]),
    );
  if (engine === 'megatron') {
    const sizes: Record<string, [OptionValue, string]> = {
      tensor_model_parallel_size: [parallel.tensor, 'parallel.tensor'],
      pipeline_model_parallel_size: [parallel.pipeline, 'parallel.pipeline'],
      context_parallel_size: [parallel.context, 'parallel.context'],
    };
    return {
      ...words('actor_rollout_ref.actor.megatron', {
        ...sizes,
        ...offload(stage, ['param', 'optimizer']),
      }),
      ...words('actor_rollout_ref.ref.megatron', { ...sizes, ...offload(stage, ['param']) }),
    };
  }
  const sequence: [OptionValue, string] = [parallel.sequence, 'parallel.sequence'];
  return {
    'actor_rollout_ref.actor.strategy': { value: engine, key: 'engine' },
    ...words('actor_rollout_ref.actor.fsdp_config', {
      ulysses_sequence_parallel_size: sequence,
      ...offload(stage, ['param', 'optimizer']),
      offload_policy: [parallel.offload === 'always', 'parallel.offload'],
    }),
    ...words('actor_rollout_ref.ref.fsdp_config', {
      ulysses_sequence_parallel_size: sequence,
      ...offload(stage, ['param']),
    }),
  };
}

function offload({ parallel }: RlStage, what: readonly string[]): Record<string, [OptionValue, string]> {
  const rests = (part: string): boolean =>
    parallel.offload === 'all' || (parallel.offload === 'optimizer' && part === 'optimizer');
  return Object.fromEntries(what.map((part) => [`${part}_offload`, [rests(part), 'parallel.offload']]));
}

/**
 * Options of an engine that only the study's words can say. The reference model's and what rests where may be said
 * otherwise under `options`: many recipes offload the reference alone.
 */
export function engineOwned(stage: RlStage): Record<string, string> {
  const owned = Object.entries(engineWords(stage)).filter(
    ([name, { key }]) => !name.startsWith('actor_rollout_ref.ref.') && key !== 'parallel.offload',
  );
  return Object.fromEntries(owned.map(([name, { key }]) => [name, key]));
}
