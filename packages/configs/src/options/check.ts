import type { StudyProblem } from '../errors.ts';
import type { Study } from '../study/schema.ts';
import type { StudySource } from '../study/source.ts';

export function optionProblems(_study: Study, _source: StudySource): StudyProblem[] {
  return [];
}
