import type { StudyProblem } from '../errors.ts';
import { suggestName } from './nearest.ts';
import type { Study } from './schema.ts';
import type { StudySource } from './source.ts';
import type { Stage, StageKind } from './stage-schemas.ts';

/** What each kind of stage leaves for others, by name. */
export const stageOutputs: Record<StageKind, readonly string[]> = {
  prepare: ['model', 'sft', 'heldout', 'rl'],
  sft: ['model'],
  rl: ['model'],
  evaluate: [],
};

type Reference = { path: PropertyKey[]; name: string; to: 'model' | 'data' };

/** Every name that a stage uses, with the place where it does. */
export function stageReferences(stageName: string, stage: Stage): Reference[] {
  const at = (key: string, name: string, to: Reference['to']): Reference => ({
    path: ['stages', stageName, key],
    name,
    to,
  });
  switch (stage.kind) {
    case 'prepare':
      return [];
    case 'sft':
      return [at('model', stage.model, 'model'), at('data', stage.data, 'data')];
    case 'rl':
      return [at('model', stage.model, 'model'), at('prompts', stage.prompts, 'data')];
    case 'evaluate':
      return [
        ...stage.models.map(
          (name, i): Reference => ({ path: ['stages', stageName, 'models', i], name, to: 'model' }),
        ),
        at('data', stage.data, 'data'),
      ];
  }
}

/** The stage that must have run before this name can be used, if any. */
export function stageBehind(study: Study, name: string, to: 'model' | 'data'): string | undefined {
  const declared = to === 'model' ? study.models[name] : study.data[name];
  if (declared !== undefined) return declared.output?.split('.')[0];
  return to === 'model' && name in study.stages ? name : undefined;
}

/** Names that lead nowhere: models, data, stages and their outputs; trainers that no version is pinned for. */
export function referenceProblems(study: Study, source: StudySource): StudyProblem[] {
  const problems: StudyProblem[] = [];
  for (const [kind, declared] of [['models', study.models] as const, ['data', study.data] as const]) {
    for (const [name, item] of Object.entries(declared)) {
      if (item.output !== undefined)
        problems.push(...outputProblems(study, source, [kind, name, 'output'], item.output));
      if (kind === 'models' && name in study.stages) {
        problems.push({
          code: 'STUDY_WRONG_VALUE',
          message: `\`${name}\` is the name of a stage too, so \`model: ${name}\` would have two meanings.`,
          hint: 'Rename one of them.',
          place: source.place([kind, name], 'key'),
        });
      }
    }
  }
  for (const [stageName, stage] of Object.entries(study.stages)) {
    for (const reference of stageReferences(stageName, stage)) {
      problems.push(...nameProblems(study, source, reference));
    }
    const trainer = trainerOf(stage.kind);
    if (trainer !== undefined && study.trainers[trainer] === undefined) {
      problems.push({
        code: 'STUDY_MISSING_KEY',
        message: `stage \`${stageName}\` runs on ${trainer}, and \`trainers\` pins no version of it.`,
        hint: `Add it to \`trainers\`.`,
        place: source.place(['trainers'], 'key'),
      });
    }
  }
  return problems;
}

/** The trainer that a kind of stage runs on; our own stages run in ms-swift's environment. */
export function trainerOf(kind: StageKind): 'ms-swift' | 'verl' {
  return kind === 'rl' ? 'verl' : 'ms-swift';
}

function nameProblems(study: Study, source: StudySource, reference: Reference): StudyProblem[] {
  const declared = Object.keys(reference.to === 'model' ? study.models : study.data);
  const trained = Object.entries(study.stages)
    .filter(([, stage]) => reference.to === 'model' && (stage.kind === 'sft' || stage.kind === 'rl'))
    .map(([name]) => name);
  const valid = [...declared, ...trained];
  if (valid.includes(reference.name)) return [];
  return [
    {
      code: 'STUDY_UNKNOWN_NAME',
      message: `no ${reference.to === 'model' ? 'model or trained stage' : 'data'} is named \`${reference.name}\`.`,
      hint: suggestName(reference.name, valid),
      place: source.place(reference.path),
    },
  ];
}

function outputProblems(
  study: Study,
  source: StudySource,
  path: PropertyKey[],
  output: string,
): StudyProblem[] {
  const [stageName = '', outputName = ''] = output.split('.');
  const stage = study.stages[stageName];
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
