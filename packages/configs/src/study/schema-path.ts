import { z } from 'zod';
import { textOf } from './text-of.ts';

/** The value at a path of keys, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? at[step as never] : undefined,
    value,
  );
}

/** The keys that the schema allows at `path`; `value` decides between the members of a union. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  const found = unwrap(schemaAt(schema, path, value), valueAt(value, path));
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

/** The schema of the value at `path`, still in its optional/default/union wrapping. */
export function schemaAt(schema: unknown, path: readonly PropertyKey[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const here = unwrap(schema, value);
  const next = valueAt(value, [step]);
  if (here instanceof z.ZodObject) return schemaAt(here.shape[String(step)], rest, next);
  if (here instanceof z.ZodRecord) return schemaAt(here.valueType, rest, next);
  if (here instanceof z.ZodArray) return schemaAt(here.element, rest, next);
  return undefined;
}

/** Takes off optional, default and pipe; of a discriminated union, picks the member that the value points at. */
function unwrap(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return unwrap(schema.def.innerType, value);
  if (schema instanceof z.ZodPipe) return unwrap(schema.def.in, value);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const key = schema.def.discriminator;
    const wanted = textOf(valueAt(value, [key]));
    return schema.options.find((option) => literalsOf(option, key).includes(wanted));
  }
  if (schema instanceof z.ZodUnion) return unwrap(schema.options[0], value);
  return schema;
}

/** The words that may stand at the discriminator of the union at `path`. */
export function discriminatorsAt(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  key: string,
  value: unknown,
): string[] {
  const holder = schemaAt(schema, path, value);
  return holder instanceof z.ZodDiscriminatedUnion
    ? holder.options.flatMap((option) => literalsOf(option, key))
    : [];
}

function literalsOf(option: unknown, key: string): string[] {
  if (!(option instanceof z.ZodObject)) return [];
  const literal: unknown = option.shape[key];
  return literal instanceof z.ZodLiteral ? [...literal.values].map(String) : [];
}
