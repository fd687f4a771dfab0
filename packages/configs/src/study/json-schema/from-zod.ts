import { z } from 'zod';
import type { Definitions, JsonSchema } from './definitions.ts';

/** `partial`: a change of something that stands elsewhere: nothing is required, and null takes a key away. */
type Form = { partial: boolean };

/** A schema of the study as an editor needs it: what a person writes, with origins on any value. */
export function fromZod(
  schema: z.ZodType,
  definitions: Definitions,
  form: Form = { partial: false },
): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  }) as JsonSchema;
  return mapping(plain, definitions, form);
}

function mapping(node: JsonSchema, definitions: Definitions, form: Form): JsonSchema {
  const { properties, required, propertyNames, additionalProperties, type, ...rest } = node;
  const inner = (child: unknown): JsonSchema => value(child as JsonSchema, definitions, form);
  const named = (propertyNames as JsonSchema | undefined)?.['pattern'];
  return {
    ...rest,
    type: form.partial ? ['object', 'null'] : type,
    ...(properties === undefined ? {} : { properties: mapValues(properties as JsonSchema, inner) }),
    ...(required === undefined || form.partial ? {} : { required }),
    ...(named === undefined
      ? additionalProperties === undefined
        ? {}
        : { additionalProperties: additionalProperties === false ? false : inner(additionalProperties) }
      : {
          patternProperties: { [String(named)]: inner(additionalProperties) },
          additionalProperties: false,
        }),
  };
}

function value(node: JsonSchema, definitions: Definitions, form: Form): JsonSchema {
  if (node['type'] === 'object') return mapping(node, definitions, form);
  if ('const' in node) return node;
  const { description, default: fallback, ...bare } = node;
  const inner = form.partial
    ? { anyOf: [inside(bare, definitions, form), { type: 'null' }] }
    : inside(bare, definitions, form);
  return {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined || form.partial ? {} : { default: fallback }),
    ...definitions.withOrigin(nameOf(bare, form), inner),
  };
}

/** What stands inside a list or a choice of several forms; and without the bounds that every whole number has. */
function inside(node: JsonSchema, definitions: Definitions, form: Form): JsonSchema {
  const { items, anyOf, ...rest } = node;
  if (rest['maximum'] === Number.MAX_SAFE_INTEGER) delete rest['maximum'];
  if (rest['minimum'] === Number.MIN_SAFE_INTEGER) delete rest['minimum'];
  const plain: Form = { partial: false };
  return {
    ...rest,
    ...(items === undefined ? {} : { items: value(items as JsonSchema, definitions, plain) }),
    ...(anyOf === undefined
      ? {}
      : {
          anyOf: (anyOf as JsonSchema[]).map((one) =>
            one['type'] === 'object' ? mapping(one, definitions, form) : inside(one, definitions, form),
          ),
        }),
  };
}

const typeNames: Record<string, string> = {
  integer: 'whole',
  number: 'number',
  string: 'text',
  boolean: 'truth',
  array: 'list',
};

function nameOf(node: JsonSchema, { partial }: Form): string {
  const name = 'enum' in node ? 'choice' : 'anyOf' in node ? 'either' : typeNames[String(node['type'])];
  return partial ? `${name ?? 'value'}-or-null` : (name ?? 'value');
}

export function mapValues(
  record: Record<string, unknown>,
  change: (value: unknown, key: string) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, change(inner, key)]));
}
