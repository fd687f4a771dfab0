import { InvalidStudyError, type StudyProblem } from '../errors.ts';
import { arithmeticProblems } from '../rules/arithmetic.ts';
import { ruleProblems } from '../rules/check.ts';
import { inputProblems } from '../rules/inputs.ts';
import { optionProblems } from '../rules/options.ts';
import { type Question, type StudyFileParts, variantKeys } from '../study/file-schema.ts';
import type { Told } from '../study/origins.ts';
import { questionProblems } from '../study/questions.ts';
import { referenceProblems } from '../study/references.ts';
import { type Doubt, repair } from '../study/repair.ts';
import { type Study, studySchema } from '../study/schema.ts';
import { valueAt } from '../study/schema-path.ts';
import { schemaProblems } from '../study/schema-problems.ts';
import { readStudySource, type StudySource } from '../study/source.ts';
import { cycleProblems } from '../study/stage-order.ts';
import { machineOf } from '../study/target-schema.ts';
import { variantProblems } from '../study/variant-problems.ts';
import { chosenTarget, studyVariants, type Variant } from '../study/variants.ts';
import { armProblems } from './arm-problems.ts';
import type { StudyArm } from './study-arm.ts';

/** What the study needs to know of the world outside its text. */
export type StudyWorld = {
  /** Whether a path of the study (as written) leads to something readable. */
  exists(path: string): boolean;
  /** The target to take, by name, instead of the one that the file chooses. */
  target?: string;
};

export type LoadedStudy = {
  /** The first arm's: name, seeds, models and data are the same in all. */
  study: Study;
  arms: StudyArm[];
  target: string;
  targets: string[];
  questions: Record<string, Question>;
  source: StudySource;
};

/**
 * Reads a study: every arm on every target is checked, one target is taken.
 * @throws {InvalidStudyError} with every mistake of the file, each with its line.
 */
export function loadStudy(text: string, file: string, world: StudyWorld): LoadedStudy {
  const source = readStudySource(text, file);
  if (source.problems.length > 0) throw new InvalidStudyError(source.problems);
  const { parts, problems } = fileParts(source);
  const variants = studyVariants(source, parts);
  const target = world.target ?? chosenTarget(source, parts);
  const targets = [...new Set(variants.map((variant) => variant.target))];
  const found = [
    ...source.slips,
    ...problems,
    ...variantProblems(source, parts),
    ...questionProblems(source, parts.questions),
  ];
  const checked = variants.map((variant) => ({ variant, ...checkVariant(variant, world) }));
  found.push(...checked.flatMap(({ problems: own }) => own));
  if (!targets.includes(target)) found.push(unknownTarget(source, target, targets));
  if (found.length > 0) throw new InvalidStudyError(sortProblems(withoutRepeats(found)));
  const arms = checked.flatMap(({ variant, study }) =>
    study === undefined || variant.target !== target ? [] : [armOf(variant, study, parts)],
  );
  const [first] = arms;
  if (first === undefined) throw new TypeError('a study without mistakes has no arm');
  const idle = armProblems(arms, parts, source);
  if (idle.length > 0) throw new InvalidStudyError(idle);
  return { study: first.study, arms, target, targets, questions: parts.questions, source };
}

/** Each part by itself, so that a mistake in one does not hide the others. */
function fileParts(source: StudySource): { parts: StudyFileParts; problems: StudyProblem[] } {
  const problems: StudyProblem[] = [];
  const read = <K extends keyof typeof variantKeys>(key: K): StudyFileParts[K] => {
    const schema = variantKeys[key];
    const parsed = schema.safeParse(valueAt(source.value, [key]));
    if (parsed.success) return parsed.data as StudyFileParts[K];
    problems.push(...schemaProblems(schema, parsed.error, source, { base: [key] }));
    return schema.parse(undefined) as StudyFileParts[K];
  };
  return { parts: { targets: read('targets'), arms: read('arms'), questions: read('questions') }, problems };
}

function armOf({ arm, source }: Variant, study: Study, parts: StudyFileParts): StudyArm {
  const declared = parts.arms[arm];
  return {
    arm,
    about: declared?.about ?? null,
    stages: declared?.stages ?? null,
    study,
    told: toldBy(source),
  };
}

/** What a study says of the origin of a value; one that it does not write at all is this program's own. */
function toldBy(source: StudySource): Told {
  return (path) => {
    for (let depth = path.length; depth > 0; depth--) {
      const said = source.provenance.get(path.slice(0, depth).join('.'));
      if (said !== undefined) return said;
    }
    // A value that is made of several: what is said of the first of them.
    const parts = [...source.provenance].find(([key]) => key.startsWith(`${path.join('.')}.`));
    if (parts !== undefined) return parts[1];
    if (valueAt(source.value, path) !== undefined) return { origin: 'user' };
    return { origin: 'her', evidence: 'the default of this word' };
  };
}

/** Problems are made with the variant's own keys, so that doubts and stages are known by them; then told by the file's. */
function checkVariant(
  { source, fileKey }: Variant,
  world: StudyWorld,
): { study?: Study; problems: StudyProblem[] } {
  const { problems, ...rest } = checkSource(source, world);
  const told = problems.map((problem) => ({
    ...problem,
    place: { ...problem.place, key: fileKey(problem.place.key) },
  }));
  return { ...rest, problems: told };
}

function checkSource(source: StudySource, world: StudyWorld): { study?: Study; problems: StudyProblem[] } {
  const parsed = studySchema.safeParse(source.value);
  if (parsed.success)
    return { study: parsed.data, problems: crossProblems(parsed.data, source, world, () => false) };
  const problems = schemaProblems(studySchema, parsed.error, source, { more: moreKeys });
  return { problems: [...problems, ...problemsOfTheRest(source, world)] };
}

/** Keys of the file that no variant has any more. */
function moreKeys(path: readonly PropertyKey[]): string[] {
  if (path.length === 0) return Object.keys(variantKeys);
  return path[0] === 'stages' && path.length === 2 ? ['on'] : [];
}

/** Checks between the parts of a study. Whatever a part in doubt would have to say is left out. */
function crossProblems(
  study: Study,
  source: StudySource,
  world: StudyWorld,
  doubt: Doubt,
  ruled = true,
): StudyProblem[] {
  const names = referenceProblems(study, source, doubt);
  const cycles = cycleProblems(study, source);
  const sums = arithmeticProblems(study, source, doubt);
  const options = optionProblems(study, source);
  const inputs = names.length === 0 ? inputProblems(study, source) : [];
  const problems = [
    ...names,
    ...cycles,
    ...options,
    ...sums,
    ...inputs,
    ...missingFiles(study, source, world),
  ];
  // A rule over settings that are wrong themselves would only say it again.
  const wrong = (stage: string): boolean =>
    doubt(`stages.${stage}`) || problems.some(({ place }) => `${place.key}.`.startsWith(`stages.${stage}.`));
  const rules = ruled ? ruleProblems(study, toldBy(source), source, wrong) : [];
  return [...problems, ...rules].filter(({ place }) => !doubt(place.key));
}

/** The same checks where some part is wrong. */
function problemsOfTheRest(source: StudySource, world: StudyWorld): StudyProblem[] {
  const rest = repair(studySchema, source.value);
  const study = rest === undefined ? undefined : studySchema.safeParse(rest.value).data;
  if (rest === undefined || study === undefined) return [];
  // What stands in for a wrong model or target breaks rules that the right one would not.
  const sound = ![...rest.touched].some((key) => !key.startsWith('stages.'));
  return crossProblems(study, source, world, rest.doubt, sound);
}

/** Paths of other machines cannot be looked at from here; what is copied to them, and a study's own code, can. */
function missingFiles(study: Study, source: StudySource, world: StudyWorld): StudyProblem[] {
  const { pathsAreHere } = machineOf(study.target);
  const of = (kind: 'models' | 'data') =>
    Object.entries(study[kind]).flatMap(([name, entry]) =>
      pathsAreHere || entry.via !== undefined ? [{ path: [kind, name, 'path'], file: entry.path }] : [],
    );
  const rewards = Object.entries(study.stages).flatMap(([name, stage]) =>
    stage.kind === 'rl' && stage.reward.file !== undefined
      ? [{ path: ['stages', name, 'reward', 'file'], file: stage.reward.file.replace(/:\w+$/, '') }]
      : [],
  );
  return [...of('models'), ...of('data'), ...rewards].flatMap(({ path, file }): StudyProblem[] => {
    if (file === undefined || world.exists(file)) return [];
    const message = `no such file or folder: ${file}.`;
    const hint = 'Paths are taken from the folder that the study file is in.';
    return [{ code: 'STUDY_MISSING_FILE', message, hint, place: source.place(path) }];
  });
}

function unknownTarget(source: StudySource, target: string, targets: string[]): StudyProblem {
  const hint = `One of: ${targets.join(', ')}.`;
  const message = `the study has no target \`${target}\`.`;
  return { code: 'STUDY_UNKNOWN_NAME', message, hint, place: source.place(['target'], 'key') };
}

/** A mistake in what all variants share is one mistake. */
function withoutRepeats(problems: readonly StudyProblem[]): StudyProblem[] {
  const seen = new Map(
    problems.map((problem) => {
      const { line, column, key } = problem.place;
      return [`${line}:${column} ${key} ${problem.code} ${problem.message}`, problem];
    }),
  );
  return [...seen.values()];
}

function sortProblems(problems: StudyProblem[]): StudyProblem[] {
  return problems.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
}
