import { InvalidStudyError, type StudyProblem } from '../errors.ts';
import { optionProblems } from '../options/check.ts';
import { arithmeticProblems } from './arithmetic.ts';
import { referenceProblems } from './references.ts';
import { type Doubt, repair } from './repair.ts';
import { type Study, studySchema } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';
import { readStudySource, type StudySource } from './source.ts';
import { cycleProblems } from './stage-order.ts';

/** What the study needs to know of the world outside its text. */
export type StudyWorld = {
  /** Whether a path of the study (as written) leads to something readable. */
  exists(path: string): boolean;
};

/**
 * Reads a study.
 * @throws {InvalidStudyError} with every mistake of the file, each with its line.
 */
export function loadStudy(
  text: string,
  file: string,
  world: StudyWorld,
): { study: Study; source: StudySource } {
  const source = readStudySource(text, file);
  if (source.problems.length > 0) throw new InvalidStudyError(source.problems);
  const parsed = studySchema.safeParse(source.value);
  if (parsed.success) {
    const problems = crossProblems(parsed.data, source, world);
    if (problems.length > 0) throw new InvalidStudyError(sortProblems(problems));
    return { study: parsed.data, source };
  }
  const problems = schemaProblems(studySchema, parsed.error, source);
  problems.push(...problemsOfTheRest(source, world));
  throw new InvalidStudyError(sortProblems(problems));
}

/** Checks between the parts of a study. Whatever a part in doubt would have to say is left out. */
function crossProblems(
  study: Study,
  source: StudySource,
  world: StudyWorld,
  doubt: Doubt = () => false,
): StudyProblem[] {
  return [
    ...referenceProblems(study, source, doubt),
    ...cycleProblems(study, source),
    ...optionProblems(study, source),
    ...arithmeticProblems(study, source, doubt),
    ...missingFiles(study, source, world),
  ].filter(({ place }) => !doubt(place.key));
}

/** The same checks where some part is wrong. */
function problemsOfTheRest(source: StudySource, world: StudyWorld): StudyProblem[] {
  const rest = repair(studySchema, source.value);
  const study = rest === undefined ? undefined : studySchema.safeParse(rest.value).data;
  return rest === undefined || study === undefined ? [] : crossProblems(study, source, world, rest.doubt);
}

function missingFiles(study: Study, source: StudySource, world: StudyWorld): StudyProblem[] {
  const declared = [
    ...Object.entries(study.models).map(([name, model]) => ({
      path: ['models', name, 'path'],
      file: model.path,
    })),
    ...Object.entries(study.data).map(([name, data]) => ({ path: ['data', name, 'path'], file: data.path })),
  ];
  return declared.flatMap(({ path, file }): StudyProblem[] => {
    if (file === undefined || world.exists(file)) return [];
    const hint = 'Paths are taken from the folder that the study file is in.';
    return [
      {
        code: 'STUDY_MISSING_FILE',
        message: `no such file or folder: ${file}.`,
        hint,
        place: source.place(path),
      },
    ];
  });
}

function sortProblems(problems: StudyProblem[]): StudyProblem[] {
  return problems.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
}
