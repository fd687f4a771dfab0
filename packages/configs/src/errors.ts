/** Where a mistake stands in the study file. Lines and columns count from 1. */
export type Place = { file: string; line: number; column: number; key: string };

/** What is wrong with a study. Every code is described in docs/errors.md. */
export type StudyProblemCode =
  | 'STUDY_YAML'
  | 'STUDY_UNKNOWN_KEY'
  | 'STUDY_MISSING_KEY'
  | 'STUDY_WRONG_TYPE'
  | 'STUDY_WRONG_VALUE'
  | 'STUDY_UNKNOWN_NAME'
  | 'STUDY_MISSING_FILE'
  | 'STUDY_CYCLE'
  | 'STUDY_UNKNOWN_OPTION'
  | 'STUDY_OPTION_TYPE'
  | 'STUDY_OPTION_TAKEN'
  | 'STUDY_ARITHMETIC'
  | 'STUDY_ORIGIN'
  | 'STUDY_RULE';

/** One mistake in a study: what, where, and what to do about it. */
export type StudyProblem = { code: StudyProblemCode; message: string; hint?: string; place: Place };

/** Thrown when a study cannot be planned. Holds every mistake found, in the file's order. */
export class InvalidStudyError extends Error {
  readonly code = 'STUDY_INVALID';
  readonly problems: readonly StudyProblem[];

  constructor(problems: readonly StudyProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.name = 'InvalidStudyError';
    this.problems = problems;
  }
}

/** `file:line:column  key  message (hint) [CODE]`, on one line. */
export function formatProblem(problem: StudyProblem): string {
  const { file, line, column, key } = problem.place;
  const hint = problem.hint ? ` ${problem.hint}` : '';
  const where = key === '' ? '' : `${key}: `;
  return `${file}:${line}:${column}  ${where}${problem.message}${hint} [${problem.code}]`;
}
