import { z } from 'zod';

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
      const { value, origin, evidence } = written;
      return evidence === undefined ? { value, origin } : { value, origin, evidence };
    }
    return { value: written as OptionValue, origin: 'user' };
  });

/** Both keys together: no option of a trainer takes a mapping with these two. */
function isWithOrigin(
  written: unknown,
): written is { value: OptionValue; origin: Origin; evidence?: string } {
  return typeof written === 'object' && written !== null && 'value' in written && 'origin' in written;
}

/** A trainer's own options, by the trainer's own names. */
export const optionsSchema = z.record(z.string(), settingSchema).default({});
export type Options = Record<string, Setting<OptionValue>>;
