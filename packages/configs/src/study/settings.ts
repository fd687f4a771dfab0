import { z } from 'zod';
import type { Provenance } from './origins.ts';

/**
 * A value of a trainer's option, with where it came from. Origin `her`: this program's own choice, with the reason as
 * evidence; a study cannot claim it. `key`: where in its stage the study says it, if it does.
 */
export type Setting<T = OptionValue> = {
  value: T;
  origin: Provenance['origin'] | 'her';
  evidence?: string;
  deviatesFromPaper?: true;
  key?: string;
};

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type OptionValue = z.infer<typeof scalar> | OptionValue[] | { [key: string]: OptionValue };
const optionValue: z.ZodType<OptionValue> = z.lazy(() =>
  z.union([scalar, z.array(optionValue), z.record(z.string(), optionValue)]),
);

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
  .record(z.string(), optionValue)
  .transform(
    (options): Options => Object.fromEntries(byName(options).map(([name, value]) => [name, inOrder(value)])),
  )
  .default({})
  .describe("The trainer's own options, by the trainer's own names");
export type Options = Record<string, OptionValue>;
