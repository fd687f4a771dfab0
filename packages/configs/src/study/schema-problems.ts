import type { z } from 'zod';
import type { StudyProblem } from '../errors.ts';
import { nearestNames, suggestName } from './nearest.ts';
import { discriminatorsAt, keysAt, valueAt } from './schema-path.ts';
import type { StudySource } from './source.ts';
import { textOf } from './text-of.ts';

type Issue = z.core.$ZodIssue;

/**
 * `meant`: the keys that a wrong one may stand for; that these are missing is no second mistake.
 * `whole`: a rule of a mapping as a whole, which may only be broken because one of its keys is misspelt.
 */
type Found = StudyProblem & { meant?: string[]; whole?: true };

/** `base`: where the schema's value stands in the study; `more`: keys that may stand beside the schema's own. */
type Around = { base?: PropertyKey[]; more?: (path: readonly PropertyKey[]) => string[] };

/** Turns zod's issues into problems that name the line and, for a wrong key or word, the nearest right one. */
export function schemaProblems(
  schema: z.ZodType,
  error: z.ZodError,
  source: StudySource,
  { base = [], more = () => [] }: Around = {},
): StudyProblem[] {
  const inner: StudySource = {
    ...source,
    value: valueAt(source.value, base),
    place: (path, at) => source.place([...base, ...path], at),
  };
  const found = error.issues.flatMap((issue) => issueProblems(schema, issue, inner, [], more));
  const meant = found.flatMap((problem) => problem.meant ?? []);
  const follows = ({ code, whole, place }: Found): boolean =>
    (code === 'STUDY_MISSING_KEY' && meant.includes(place.key)) ||
    (whole === true && meant.some((key) => key.startsWith(`${place.key}.`)));
  return found.filter((problem) => !follows(problem)).map(({ meant: _, whole: __, ...problem }) => problem);
}

function issueProblems(
  schema: z.ZodType,
  issue: Issue,
  source: StudySource,
  base: PropertyKey[],
  more: NonNullable<Around['more']>,
): Found[] {
  const path = [...base, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const valid = [...keysAt(schema, path, source.value), ...more(path)];
      return issue.keys.map((key) => unknownKey(path, key, valid, source));
    }
    case 'invalid_type':
      return [wrongType(path, issue.expected, source)];
    case 'invalid_value':
      return [wrongWord(path, issue.values, source)];
    case 'invalid_union': {
      if (issue.discriminator !== undefined) return [wrongKind(schema, path, issue.discriminator, source)];
      const closest = [...issue.errors].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? [];
      return closest.flatMap((inner) => issueProblems(schema, inner, source, path, more));
    }
    case 'invalid_key': {
      const message = `${issue.issues[0]?.message ?? 'not a valid name'}.`;
      return [{ code: 'STUDY_WRONG_VALUE', message, place: source.place(path, 'key') }];
    }
    case 'custom':
      return [
        { code: 'STUDY_WRONG_VALUE', message: `${issue.message}.`, place: source.place(path), whole: true },
      ];
    default:
      return [{ code: 'STUDY_WRONG_VALUE', message: `${issue.message}.`, place: source.place(path) }];
  }
}

function unknownKey(path: PropertyKey[], key: string, valid: string[], source: StudySource): Found {
  return {
    code: 'STUDY_UNKNOWN_KEY',
    message: `unknown key \`${key}\`.`,
    hint: suggestName(key, valid),
    place: source.place([...path, key], 'key'),
    meant: nearestNames(key, valid).map((name) => [...path, name].map(String).join('.')),
  };
}

/** How far into the value a member of a union got before it failed: the one that got furthest was meant. */
function depth(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function wrongType(path: PropertyKey[], expected: string, source: StudySource): StudyProblem {
  const given = valueAt(source.value, path);
  if (given === undefined) return missingKey(path, withArticle(expected), source);
  const message = `${describe(given)} where ${withArticle(expected)} is expected.`;
  return { code: 'STUDY_WRONG_TYPE', message, place: source.place(path) };
}

function wrongWord(path: PropertyKey[], allowed: readonly unknown[], source: StudySource): StudyProblem {
  const given = valueAt(source.value, path);
  const valid = allowed.map(String);
  if (given === undefined) return missingKey(path, valid.join(' | '), source);
  const place = source.place(path);
  const same = allowed.find((value) => textOf(value) === textOf(given));
  if (same !== undefined) {
    const message = `${describe(given)} where ${describe(same)} is expected.`;
    return { code: 'STUDY_WRONG_TYPE', message, place };
  }
  const hint = suggestName(textOf(given), valid);
  return { code: 'STUDY_WRONG_VALUE', message: `${describe(given)} is not allowed.`, hint, place };
}

function wrongKind(schema: z.ZodType, path: PropertyKey[], key: string, source: StudySource): StudyProblem {
  const holder = path.at(-1) === key ? path.slice(0, -1) : path;
  const valid = discriminatorsAt(schema, holder, key, source.value);
  const written = valueAt(source.value, holder);
  const given = valueAt(written, [key]);
  if (given === undefined) {
    const slip = Object.keys(written ?? {}).find((name) => nearestNames(name, [key]).length > 0);
    if (slip === undefined) return missingKey([...holder, key], valid.join(' | '), source);
    return unknownKey(holder, slip, [key], source);
  }
  const hint = suggestName(textOf(given), valid);
  return {
    code: 'STUDY_WRONG_VALUE',
    message: `unknown ${key} ${JSON.stringify(given)}.`,
    hint,
    place: source.place([...holder, key]),
  };
}

/** A missing key has no line of its own: the key that should hold it is shown. */
function missingKey(path: PropertyKey[], expected: string, source: StudySource): StudyProblem {
  const place = { ...source.place(path.slice(0, -1), 'key'), key: path.map(String).join('.') };
  return {
    code: 'STUDY_MISSING_KEY',
    message: `\`${String(path.at(-1))}\` is required: ${expected}.`,
    place,
  };
}

function describe(value: unknown): string {
  if (value === null) return 'nothing (null)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string'
    ? `the text ${JSON.stringify(value)}`
    : `the ${typeof value} ${String(value)}`;
}

function withArticle(expected: string): string {
  const words: Record<string, string> = {
    object: 'a mapping',
    record: 'a mapping',
    array: 'a list',
    string: 'a text',
    int: 'a whole number',
  };
  return words[expected] ?? `a ${expected}`;
}
