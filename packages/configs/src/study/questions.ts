import type { StudyProblem } from '../errors.ts';
import type { Question } from './file-schema.ts';
import type { StudySource } from './source.ts';

/** Keys that a question says it settles, and that the study does not have. */
export function questionProblems(source: StudySource, questions: Record<string, Question>): StudyProblem[] {
  return Object.entries(questions).flatMap(([name, { settles }]) =>
    settles.flatMap((key, i): StudyProblem[] => {
      if (holdsKey(source.value, key)) return [];
      const message = `the study has no key \`${key}\`.`;
      return [
        { code: 'STUDY_UNKNOWN_NAME', message, place: source.place(['questions', name, 'settles', i]) },
      ];
    }),
  );
}

/** Whether a study has a key, its steps joined by dots; a trainer's option has dots of its own. */
function holdsKey(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([step, inner]) =>
      step === key || (key.startsWith(`${step}.`) && holdsKey(inner, key.slice(step.length + 1))),
  );
}

/** The questions that nobody has answered yet. */
export function openQuestions(questions: Record<string, Question>): [name: string, question: Question][] {
  return Object.entries(questions).filter(([, { answer }]) => answer === null);
}
