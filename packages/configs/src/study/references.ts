import type { StudyProblem } from '../errors.ts';
import { suggestName } from './nearest.ts';
import type { Doubt } from './repair.ts';
import type { Study } from './schema.ts';
import type { StudySource } from './source.ts';
import { namesOf, type Stage, type StageKind } from './stage-schemas.ts';

/** What each kind of stage leaves for others, by name. */
export const stageOutputs: Record<StageKind, readonly string[]> = {
  prepare: ['model', 'sft', 'heldout', 'rl'],
  sft: ['model'],
  rlhf: ['model'],
  rl: ['model'],
  evaluate: [],
};

type Reference = { path: PropertyKey[]; name: string; to: 'model' | 'data' };

/** Every name that a stage uses, with the place where it does. */
export function stageReferences(stageName: string, stage: Stage): Reference[] {
  const at = (key: string, names: string | readonly string[] | undefined, to: Reference['to']): Reference[] =>
    namesOf(names).map((name, i) => {
      const path: PropertyKey[] = ['stages', stageName, ...key.split('.')];
      return { path: Array.isArray(names) ? [...path, i] : path, name, to };
    });
  switch (stage.kind) {
    case 'prepare':
      return [];
    case 'sft':
    case 'rlhf':
      return [
        ...at('model', stage.model, 'model'),
        ...at('data', stage.data, 'data'),
        ...at('validation', stage.validation, 'data'),
      ];
    case 'rl':
      return [
        ...at('model', stage.model, 'model'),
        ...at('prompts', stage.prompts, 'data'),
        ...at('validation', stage.validation, 'data'),
        ...at('reward.model', stage.reward.model, 'model'),
      ];
    case 'evaluate':
      return [...at('models', stage.models, 'model'), ...at('data', stage.data, 'data')];
  }
}

/** The stage that must have run before this name can be used, if any. */
export function stageBehind(study: Study, name: string, to: 'model' | 'data'): string | undefined {
  const declared = to === 'model' ? own(study.models, name) : own(study.data, name);
  if (declared !== undefined) return declared.output?.split('.')[0];
  return to === 'model' && Object.hasOwn(study.stages, name) ? name : undefined;
}

type Context = { study: Study; source: StudySource; doubt: Doubt };

/** Names that lead nowhere: models, data, stages and their outputs; trainers that no version is pinned for. */
export function referenceProblems(study: Study, source: StudySource, doubt: Doubt): StudyProblem[] {
  const context = { study, source, doubt };
  const declared = [['models', study.models] as const, ['data', study.data] as const];
  return [
    ...declared.flatMap(([kind, items]) =>
      Object.entries(items).flatMap(([name, { output }]) =>
        output === undefined ? [] : outputProblems(context, [kind, name, 'output'], output),
      ),
    ),
    ...clashProblems(context),
    ...Object.entries(study.stages).flatMap(([name, stage]) =>
      stageReferences(name, stage).flatMap((reference) => nameProblems(context, reference)),
    ),
    ...trainerProblems(context),
    ...measureProblems(context),
  ];
}

/** Whether a kind of stage leaves a model of its own. */
export function trains(kind: StageKind): kind is 'sft' | 'rlhf' | 'rl' {
  return kind === 'sft' || kind === 'rlhf' || kind === 'rl';
}

/** The trainer that a kind of stage runs on; our own stages run in ms-swift's environment. */
export function trainerOf(kind: StageKind): 'ms-swift' | 'verl' {
  return kind === 'rl' ? 'verl' : 'ms-swift';
}

function nameProblems({ study, source, doubt }: Context, { path, name, to }: Reference): StudyProblem[] {
  const declared = Object.keys(to === 'model' ? study.models : study.data);
  const trained = Object.entries(study.stages)
    .filter(([, stage]) => to === 'model' && trains(stage.kind))
    .map(([stageName]) => stageName);
  const valid = [...declared, ...trained];
  const doubtful =
    to === 'model' ? doubt(`models.${name}`) || doubt(`stages.${name}`) : doubt(`data.${name}`);
  if (valid.includes(name) || doubtful) return [];
  const message = `no ${to === 'model' ? 'model or trained stage' : 'data'} is named \`${name}\`.`;
  return [{ code: 'STUDY_UNKNOWN_NAME', message, hint: suggestName(name, valid), place: source.place(path) }];
}

function outputProblems(
  { study, source, doubt }: Context,
  path: PropertyKey[],
  output: string,
): StudyProblem[] {
  const [stageName = '', outputName = ''] = output.split('.');
  if (doubt(`stages.${stageName}`)) return [];
  const stage = own(study.stages, stageName);
  const place = source.place(path);
  if (stage === undefined) {
    const hint = suggestName(stageName, Object.keys(study.stages));
    return [{ code: 'STUDY_UNKNOWN_NAME', message: `no stage is named \`${stageName}\`.`, hint, place }];
  }
  const valid = stageOutputs[stage.kind];
  if (valid.includes(outputName)) return [];
  const message = `stage \`${stageName}\` (${stage.kind}) has no output \`${outputName}\`.`;
  return [{ code: 'STUDY_UNKNOWN_NAME', message, hint: suggestName(outputName, valid), place }];
}

function clashProblems({ study, source }: Context): StudyProblem[] {
  return Object.keys(study.models)
    .filter((name) => Object.hasOwn(study.stages, name))
    .map((name) => ({
      code: 'STUDY_WRONG_VALUE',
      message: `\`${name}\` is the name of a stage too, so \`model: ${name}\` would have two meanings.`,
      hint: 'Rename one of them.',
      place: source.place(['models', name], 'key'),
    }));
}

/** One problem for each trainer that is used and not pinned; its place is where the pin belongs. */
function trainerProblems({ study, source }: Context): StudyProblem[] {
  return (['ms-swift', 'verl'] as const).flatMap((trainer): StudyProblem[] => {
    const users = Object.entries(study.stages)
      .filter(([, stage]) => trainerOf(stage.kind) === trainer)
      .map(([name]) => `\`${name}\``);
    if (users.length === 0 || study.trainers[trainer] !== undefined) return [];
    const who = users.length === 1 ? `stage ${users[0]} runs` : `stages ${users.join(', ')} run`;
    return [
      {
        code: 'STUDY_MISSING_KEY',
        message: `${who} on ${trainer}, and \`trainers\` pins no version of it.`,
        hint: 'Add it to `trainers`.',
        place: { ...source.place(['trainers'], 'key'), key: `trainers.${trainer}` },
      },
    ];
  });
}

/** What is measured must come from a stage that measures. */
function measureProblems({ study, source, doubt }: Context): StudyProblem[] {
  const of = study.measure?.primary.of;
  if (of === undefined || own(study.stages, of)?.kind === 'evaluate' || doubt(`stages.${of}`)) return [];
  const valid = Object.keys(study.stages).filter((name) => study.stages[name]?.kind === 'evaluate');
  return [
    {
      code: 'STUDY_UNKNOWN_NAME',
      message: `no evaluate stage is named \`${of}\`.`,
      hint: suggestName(of, valid),
      place: source.place(['measure', 'primary', 'of']),
    },
  ];
}

/** A record's own entry: `constructor` and its like are names of nothing. */
function own<T>(record: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
