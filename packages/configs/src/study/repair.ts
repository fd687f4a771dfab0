import { z } from 'zod';
import { schemaAt } from './schema-path.ts';

/**
 * A copy of `value` in which each wrong part is taken out or replaced by some value of the right type, and the
 * paths where that was done. It lets the checks between parts of a study run although one part is wrong, so
 * that a person hears of all mistakes at once. Nothing repaired is ever planned or run.
 */
export function repair(
  schema: z.ZodType,
  value: unknown,
): { value: unknown; repaired: PropertyKey[][] } | undefined {
  const copy: unknown = structuredClone(value);
  const repaired: PropertyKey[][] = [];
  for (let round = 0; round < 4; round++) {
    const parsed = schema.safeParse(copy);
    if (parsed.success) return { value: copy, repaired };
    for (const issue of parsed.error.issues) {
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys) put(copy, [...issue.path, key], undefined);
      } else {
        if (issue.path.length === 0) return undefined;
        const again = repaired.some((path) => path.join('.') === issue.path.join('.'));
        repaired.push(issue.path);
        const hopeless = again || issue.code === 'invalid_key';
        put(copy, issue.path, hopeless ? undefined : sampleOf(schemaAt(schema, issue.path, copy)));
      }
    }
  }
  return undefined;
}

function put(root: unknown, path: readonly PropertyKey[], value: unknown): void {
  const last = path.at(-1);
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], root);
  if (last === undefined || typeof holder !== 'object' || holder === null) return;
  if (value === undefined) delete (holder as Record<PropertyKey, unknown>)[last];
  else (holder as Record<PropertyKey, unknown>)[last] = value;
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
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(Object.entries(schema.shape).map(([key, inner]) => [key, sampleOf(inner)]));
  }
  return undefined;
}
