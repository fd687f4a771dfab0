import { z } from 'zod';
import { nearestNames } from './nearest.ts';

/** Where a setting's value came from. */
export const origins = ['paper', 'repo', 'card', 'secondary', 'framework-default', 'user'] as const;
export type Origin = (typeof origins)[number];

/**
 * A value with its origin, in one shape whichever way the study wrote it.
 * `her`: this program's own choice, with the reason as evidence; a study file cannot claim it.
 */
export type Setting<T = OptionValue> = { value: T; origin: Origin | 'her'; evidence?: string };

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type OptionValue = z.infer<typeof scalar> | OptionValue[] | { [key: string]: OptionValue };
const optionValue: z.ZodType<OptionValue> = z.lazy(() =>
  z.union([scalar, z.array(optionValue), z.record(z.string(), optionValue)]),
);

/** A plain value, or `{ value, origin, evidence }`. */
export const settingSchema = z
  .union([
    z.strictObject({ value: optionValue, origin: z.enum(origins), evidence: z.string().optional() }),
    optionValue.refine((written) => !isWithOrigin(written), { abort: true }),
  ])
  .transform((written): Setting<OptionValue> => {
    if (isWithOrigin(written)) {
      const { origin, evidence } = written;
      const value = inOrder(written.value);
      return evidence === undefined ? { value, origin } : { value, origin, evidence };
    }
    return { value: inOrder(written as OptionValue), origin: 'user' };
  });

/** Meant as a value with its origin, perhaps with a slip: no option of a trainer takes a mapping of these keys. */
function isWithOrigin(
  written: unknown,
): written is { value: OptionValue; origin: Origin; evidence?: string } {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return false;
  const keys = Object.keys(written);
  const words = ['value', 'origin', 'evidence'];
  return (
    (keys.includes('value') || keys.includes('origin')) &&
    keys.every((key) => nearestNames(key, words).length > 0)
  );
}

/** The order in which a mapping was written means nothing, so it must not change the bytes of a rendered file. */
function inOrder(value: OptionValue): OptionValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(byName(value).map(([key, inner]) => [key, inOrder(inner)]));
}

function byName<T>(mapping: Record<string, T>): [string, T][] {
  return Object.entries(mapping).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A trainer's own options, by the trainer's own names, in one order however the study wrote them. */
export const optionsSchema = z
  .record(z.string(), settingSchema)
  .transform((options): Options => Object.fromEntries(byName(options)))
  .default({});
export type Options = Record<string, Setting<OptionValue>>;
