import { z } from 'zod';
import { nearestNames } from './nearest.ts';
import { keysAt, schemaAt, valueAt } from './schema-path.ts';

/** Whether the part of the study at a key path (joined by dots) was wrong, or lies in one that was. */
export type Doubt = (key: string) => boolean;

type Issue = z.core.$ZodIssue;

/**
 * A copy of `value` in which each wrong part is taken out or replaced by some value of the right type, and which
 * parts these are. It lets the checks between parts of a study run although one part is wrong, so that a person
 * hears of all mistakes at once. Nothing repaired is ever planned or run.
 */
export function repair(
  schema: z.ZodType,
  value: unknown,
): { value: unknown; doubt: Doubt; touched: ReadonlySet<string> } | undefined {
  const copy: unknown = structuredClone(value);
  const touched = new Set<string>();
  for (let round = 0; round < 8; round++) {
    const parsed = schema.safeParse(copy);
    if (parsed.success) {
      const doubt: Doubt = (key) => [...touched].some((path) => `${key}.`.startsWith(`${path}.`));
      return { value: copy, doubt, touched };
    }
    for (const issue of parsed.error.issues) {
      if (issue.path.length === 0 && issue.code !== 'unrecognized_keys') return undefined;
      for (const path of repairIssue(schema, issue, copy, touched)) touched.add(path.map(String).join('.'));
    }
  }
  return undefined;
}

/** Mends one part in place. @returns what is in doubt now */
function repairIssue(
  schema: z.ZodType,
  issue: Issue,
  copy: unknown,
  touched: ReadonlySet<string>,
): PropertyKey[][] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const missing = keysAt(schema, path, copy).filter((key) => valueAt(copy, [...path, key]) === undefined);
    for (const key of issue.keys) put(copy, [...path, key], undefined);
    return issue.keys.flatMap((key) => nearestNames(key, missing).map((meant) => [...path, meant]));
  }
  if (issue.code === 'invalid_key') {
    put(copy, path, undefined);
    const meant = String(path.at(-1)).toLowerCase().replaceAll(/\W/g, '-');
    return [path, [...path.slice(0, -1), meant]];
  }
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) {
    // Of a stage of unknown kind nothing can be said.
    const holder = path.at(-1) === issue.discriminator ? path.slice(0, -1) : path;
    put(copy, holder, undefined);
    return [holder];
  }
  const again = touched.has(path.map(String).join('.'));
  put(copy, path, again ? undefined : sampleOf(schemaAt(schema, path, copy)));
  return [path];
}

function put(root: unknown, path: readonly PropertyKey[], value: unknown): void {
  const last = path.at(-1);
  const holder = valueAt(root, path.slice(0, -1));
  if (last === undefined || typeof holder !== 'object' || holder === null) return;
  if (value !== undefined) (holder as Record<PropertyKey, unknown>)[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<PropertyKey, unknown>)[last];
}

/** Some value that the schema takes, or undefined where leaving the value out is right. */
function sampleOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return undefined;
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodString)
    return ['x', 'x.x', 'x.x:x'].find((text) => schema.safeParse(text).success);
  if (schema instanceof z.ZodNumber) return [2, 1, 0].find((number) => schema.safeParse(number).success);
  if (schema instanceof z.ZodArray) return [sampleOf(schema.element)];
  if (schema instanceof z.ZodRecord) return {};
  if (schema instanceof z.ZodObject) return sampleObject(schema);
  return undefined;
}

function sampleObject(schema: z.ZodObject): unknown {
  const fields = Object.entries(schema.shape);
  const sample = Object.fromEntries(fields.map(([key, inner]) => [key, sampleOf(inner)]));
  if (schema.safeParse(sample).success) return sample;
  // Some optional key is needed after all (`path` or `output`): one of them, in turn.
  const fuller = fields
    .filter(([, inner]) => inner instanceof z.ZodOptional)
    .map(([key, inner]) => ({ ...sample, [key]: sampleOf((inner as z.ZodOptional).unwrap()) }));
  return fuller.find((candidate) => schema.safeParse(candidate).success) ?? sample;
}
