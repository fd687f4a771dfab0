import type { StudyProblem } from '../errors.ts';
import type { Question } from './file-schema.ts';
import { valueAt } from './schema-path.ts';
import type { StudySource } from './source.ts';

/** Keys that a question says it settles, and that the study does not have. */
export function questionProblems(source: StudySource, questions: Record<string, Question>): StudyProblem[] {
  return Object.entries(questions).flatMap(([name, { settles }]) =>
    settles.flatMap((key, i): StudyProblem[] => {
      if (valueAt(source.value, key.split('.')) !== undefined) return [];
      const message = `the study has no key \`${key}\`.`;
      return [
        { code: 'STUDY_UNKNOWN_NAME', message, place: source.place(['questions', name, 'settles', i]) },
      ];
    }),
  );
}

/** The questions that nobody has answered yet. */
export function openQuestions(questions: Record<string, Question>): [name: string, question: Question][] {
  return Object.entries(questions).filter(([, { answer }]) => answer === null);
}
