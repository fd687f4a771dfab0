import type { StudyProblem } from '../errors.ts';
import type { StudyFileParts } from './file-schema.ts';
import { isMapping, mapping } from './mapping.ts';
import { suggestName } from './nearest.ts';
import type { StudySource } from './source.ts';

/** What is wrong with the arms and targets of a study, before any variant is looked at. */
export function variantProblems(source: StudySource, parts: StudyFileParts): StudyProblem[] {
  return [...nameProblems(source, parts), ...choiceProblems(source, parts)];
}

/** Names of arms, targets and stages that lead nowhere. */
function nameProblems(source: StudySource, parts: StudyFileParts): StudyProblem[] {
  const stages = Object.keys(mapping(mapping(source.value)['stages']));
  const targets = Object.keys(parts.targets);
  const written = mapping(source.value)['target'];
  const wrong = (path: PropertyKey[], name: string, what: string, valid: string[]): StudyProblem => ({
    code: 'STUDY_UNKNOWN_NAME',
    message: `no ${what} is named \`${name}\`.`,
    hint: suggestName(name, valid),
    place: source.place(path),
  });
  const problems: StudyProblem[] = [];
  if (typeof written === 'string' && targets.length > 0 && !targets.includes(written))
    problems.push(wrong(['target'], written, 'target', targets));
  for (const [arm, { stages: named = [], change }] of Object.entries(parts.arms)) {
    named.forEach((name, i) => {
      if (!stages.includes(name)) problems.push(wrong(['arms', arm, 'stages', i], name, 'stage', stages));
    });
    for (const name of Object.keys(change)) {
      if (!stages.includes(name)) problems.push(wrong(['arms', arm, 'change', name], name, 'stage', stages));
    }
  }
  return [...problems, ...onProblems(source, targets)];
}

/** What a stage does otherwise on a target: a mapping of targets that are there, each of a mapping. */
function onProblems(source: StudySource, targets: string[]): StudyProblem[] {
  const stages = Object.entries(mapping(mapping(source.value)['stages']));
  return stages.flatMap(([stage, body]) => {
    const on = mapping(body)['on'];
    const path = ['stages', stage, 'on'];
    if (on === undefined) return [];
    if (!isMapping(on)) return [notMapping(source, path)];
    return Object.entries(on).flatMap(([name, changes]): StudyProblem[] => {
      const place = source.place([...path, name], 'key');
      const hint = suggestName(name, targets);
      if (!targets.includes(name))
        return [{ code: 'STUDY_UNKNOWN_NAME', message: `no target is named \`${name}\`.`, hint, place }];
      return isMapping(changes) ? [] : [notMapping(source, [...path, name])];
    });
  });
}

function notMapping(source: StudySource, path: PropertyKey[]): StudyProblem {
  const message = 'a mapping of what is other there is expected.';
  return { code: 'STUDY_WRONG_TYPE', message, place: source.place(path) };
}

/** Several targets, and none of them chosen. */
function choiceProblems(source: StudySource, parts: StudyFileParts): StudyProblem[] {
  const targets = Object.keys(parts.targets);
  const written = mapping(source.value)['target'];
  if (targets.length === 0 || typeof written === 'string') return [];
  return [
    {
      code: 'STUDY_MISSING_KEY',
      message: '`target` must name one of `targets`.',
      hint: `One of: ${targets.join(', ')}.`,
      place: source.place(['targets'], 'key'),
    },
  ];
}
