import type { ModelEntry, Study } from './schema.ts';
import type { StageOf } from './stage-schemas.ts';

/** What ms-swift must be told of a model, whose weights do not say it; `name` is the model's in `models`. */
export type ModelTraits = { type: string; template: string; name: string };

/**
 * The declared model that a name leads to: itself, or the one that the stage of that name started from. Undefined when
 * the name leads nowhere, or in a circle.
 */
export function modelBehind(study: Study, name: string): ModelEntry | undefined {
  const declared = nameBehind(study, name);
  return declared === undefined ? undefined : study.models[declared];
}

/** The same, by its name in `models`. */
export function nameBehind(study: Study, name: string, seen: readonly string[] = []): string | undefined {
  if (seen.includes(name)) return undefined;
  if (Object.hasOwn(study.models, name)) return name;
  const stage = Object.hasOwn(study.stages, name) ? study.stages[name] : undefined;
  return stage !== undefined && 'model' in stage && typeof stage.model === 'string'
    ? nameBehind(study, stage.model, [...seen, name])
    : undefined;
}

/** The stage that builds a declared model's start weights, if one does. */
export function preparedBy(study: Study, model: ModelEntry): StageOf<'prepare'> | undefined {
  const name = model.output?.split('.')[0];
  const stage = name !== undefined && Object.hasOwn(study.stages, name) ? study.stages[name] : undefined;
  return stage?.kind === 'prepare' ? stage : undefined;
}
