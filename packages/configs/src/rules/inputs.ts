import type { StudyProblem } from '../errors.ts';
import { findKnownShape, KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { rowsOf } from '../stages/swift/kept-rows.ts';
import { suggestName } from '../study/nearest.ts';
import { trains } from '../study/references.ts';
import type { Study } from '../study/schema.ts';
import type { StudySource } from '../study/source.ts';
import { namesOf, type Stage } from '../study/stage-schemas.ts';

type Found = { path: PropertyKey[]; message: string; hint?: string };

/** What must hold between a stage and what it reads. */
export function inputProblems(study: Study, source: StudySource): StudyProblem[] {
  const empty = Object.keys(study.stages).length === 0;
  const found: Found[] = [
    ...(empty ? [{ path: ['stages'], message: 'a study has one stage at least.' }] : []),
    ...shapeProblems(study),
    ...Object.entries(study.stages).flatMap(([name, stage]) =>
      stageFindings(study, stage).map((one) => ({ ...one, path: ['stages', name, ...one.path] })),
    ),
  ];
  return found.map(({ path, message, hint }) => ({
    code: 'STUDY_RULE',
    message,
    ...(hint === undefined ? {} : { hint }),
    place: source.place(path),
  }));
}

function stageFindings(study: Study, stage: Stage): Found[] {
  switch (stage.kind) {
    case 'prepare':
      return [];
    case 'sft':
    case 'rlhf': {
      const rows = rowsOf(study, stage);
      const most = typeof stage.overlong === 'object' ? stage.overlong.delete : 0;
      return [
        ...adapters(study, 'model', [stage.model]),
        ...repeated('data', stage.data),
        ...sharedRows('validation', namesOf(stage.validation), namesOf(stage.data)),
        ...(rows !== undefined && most >= rows
          ? [{ path: ['overlong', 'delete'], message: `the data has ${rows} rows, and none need be left.` }]
          : []),
      ];
    }
    case 'rl':
      return [
        ...adapters(study, 'model', [stage.model]),
        ...repeated('prompts', stage.prompts),
        ...sharedRows('validation', namesOf(stage.validation), namesOf(stage.prompts)),
        ...onHub(
          study,
          'prompts',
          namesOf(stage.prompts),
          'data',
          'verl reads parquet files, and fetches none.',
        ),
        ...onHub(
          study,
          'validation',
          namesOf(stage.validation),
          'data',
          'verl reads parquet files, and fetches none.',
        ),
        ...fewPrompts(study, namesOf(stage.prompts), stage.batch.prompts),
      ];
    case 'evaluate': {
      const why = 'evaluate reads from the disk, and fetches nothing.';
      return [
        ...adapters(study, 'models', stage.models),
        ...onHub(study, 'models', stage.models, 'models', why),
        ...onHub(study, 'data', [stage.data], 'data', why),
      ];
    }
  }
}

/** A stage that trained adapters leaves them alone, which is no model for another one. */
function adapters(study: Study, key: string, names: readonly string[]): Found[] {
  return names.flatMap((name, i): Found[] => {
    if (Object.hasOwn(study.models, name) || !Object.hasOwn(study.stages, name)) return [];
    const stage = study.stages[name];
    if (stage === undefined || !trains(stage.kind) || !('options' in stage)) return [];
    const tuner = stage.options['tuner_type'];
    const rank = stage.options['actor_rollout_ref.model.lora_rank'];
    const small = (typeof tuner === 'string' && tuner !== 'full') || (typeof rank === 'number' && rank > 0);
    if (!small) return [];
    const path = key === 'models' ? [key, i] : [key];
    const message = `\`${name}\` leaves adapters, which are no model by themselves.`;
    return [
      { path, message, hint: 'Train it whole, or merge them outside and name the merged model in `models`.' },
    ];
  });
}

function onHub(
  study: Study,
  key: string,
  names: readonly string[],
  kind: 'models' | 'data',
  why: string,
): Found[] {
  const entries: Record<string, { hub?: string | undefined }> = study[kind];
  const hub = names.find((name) => Object.hasOwn(entries, name) && entries[name]?.hub !== undefined);
  return hub === undefined ? [] : [{ path: [key], message: `\`${hub}\` is an id of a hub: ${why}` }];
}

function repeated(key: string, written: string | readonly string[] | undefined): Found[] {
  const names = namesOf(written);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  return twice === undefined ? [] : [{ path: [key], message: `\`${twice}\` is named twice.` }];
}

function sharedRows(key: string, held: readonly string[], trained: readonly string[]): Found[] {
  const both = held.find((name) => trained.includes(name));
  return both === undefined
    ? []
    : [{ path: [key], message: `\`${both}\` is trained on, so it validates nothing.` }];
}

function fewPrompts(study: Study, names: readonly string[], batch: number): Found[] {
  const rows = names.map((name) => study.data[name]?.rows);
  if (rows.some((count) => count === undefined)) return [];
  const all = rows.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const message = `there are ${all} prompts, fewer than one step takes (${batch}).`;
  return all >= batch ? [] : [{ path: ['batch', 'prompts'], message }];
}

/** A shape by a name that nobody knows would leave memory and time unsaid. */
function shapeProblems(study: Study): Found[] {
  return Object.entries(study.models).flatMap(([name, { shape }]): Found[] => {
    if (typeof shape !== 'string') return [];
    if (Object.hasOwn(KNOWN_SHAPES, shape) || findKnownShape(shape) !== undefined) return [];
    const known = Object.keys(KNOWN_SHAPES);
    const hint = suggestName(shape, known) || `Known: ${known.join(', ')}.`;
    return [
      { path: ['models', name, 'shape'], message: `no shape is known by the name \`${shape}\`.`, hint },
    ];
  });
}
