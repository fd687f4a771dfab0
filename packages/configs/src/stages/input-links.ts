import type { Study } from '../study/schema.ts';
import { namesOf, type Stage, type StageOf, type SwiftStage } from '../study/stage-schemas.ts';

/** What a trainer is told of its inputs: a path under `inputs/`, or an id of a hub that it fetches itself. */
export type InputLinks = { model: string; data: string[]; validation: string[]; rewardModel: string };

/** The inputs of a training stage, as words for its trainer. */
export function inputLinks(study: Study, stage: SwiftStage | StageOf<'rl'>): InputLinks {
  const data = stage.kind === 'rl' ? stage.prompts : (stage.data ?? []);
  const rewardModel = stage.kind === 'rl' ? stage.reward.model : undefined;
  return {
    model: hubModel(study, stage.model) ?? 'inputs/model',
    data: dataLinks(study, stage, namesOf(data), 'train'),
    validation: dataLinks(study, stage, namesOf(stage.validation), 'val'),
    rewardModel: rewardModel === undefined ? '' : (hubModel(study, rewardModel) ?? 'inputs/reward-model'),
  };
}

function dataLinks(study: Study, stage: Stage, names: readonly string[], use: 'train' | 'val'): string[] {
  return names.map((name) => study.data[name]?.hub ?? `inputs/${dataLink(stage, names, name, use)}`);
}

/** The name of a data file under `inputs/`; trainers know its format by the ending. */
export function dataLink(stage: Stage, names: readonly string[], name: string, use: 'train' | 'val'): string {
  const [stem, ending] = stage.kind === 'rl' ? ['prompts', 'parquet'] : ['data', 'jsonl'];
  if (use === 'val') return `validation/${name}.${ending}`;
  return names.length === 1 ? `${stem}.${ending}` : `${stem}/${name}.${ending}`;
}

function hubModel(study: Study, name: string): string | undefined {
  return Object.hasOwn(study.models, name) ? study.models[name]?.hub : undefined;
}

/** Where a study tells of a model that a stage starts from: in `models`, or where the stage names another one. */
export function modelToldAt(study: Study, stageName: string, model: string): readonly string[] {
  const entry = Object.hasOwn(study.models, model) ? study.models[model] : undefined;
  if (entry === undefined) return ['stages', stageName, 'model'];
  return ['models', model, entry.path !== undefined ? 'path' : entry.hub !== undefined ? 'hub' : 'output'];
}
