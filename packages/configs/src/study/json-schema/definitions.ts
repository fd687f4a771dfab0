import { origins } from '../origins.ts';

/** A piece of JSON Schema, draft 2020-12. */
export type JsonSchema = { [key: string]: unknown };

/** Longer pieces are not written twice. */
const longest = 200;

/** Pieces that are written once and named: the file stays small, and an editor reads each only once. */
export class Definitions {
  readonly all: Record<string, JsonSchema> = {
    origin: { enum: [...origins], description: 'Where the value came from' },
    evidence: { type: 'string', description: 'What shows that' },
    deviates: { const: true, description: 'The paper says, or means, another value' },
  };
  private readonly names = new Map<string, string>();

  /** A reference to a piece; of two that are alike one is kept. */
  share(name: string, schema: JsonSchema): JsonSchema {
    const text = JSON.stringify(schema);
    const known = this.names.get(text) ?? this.free(name);
    this.names.set(text, known);
    this.all[known] = schema;
    return { $ref: `#/$defs/${known}` };
  }

  /** A value, or `{ value, origin, evidence }`. */
  withOrigin(name: string, plain: JsonSchema, description?: string): JsonSchema {
    const value = JSON.stringify(plain).length > longest ? this.share(`${name}-value`, plain) : plain;
    return this.share(name, {
      ...(description === undefined ? {} : { description }),
      anyOf: [
        value,
        {
          title: 'value with its origin',
          type: 'object',
          properties: {
            value,
            origin: { $ref: '#/$defs/origin' },
            evidence: { $ref: '#/$defs/evidence' },
            deviates_from_paper: { $ref: '#/$defs/deviates' },
          },
          required: ['value', 'origin'],
          additionalProperties: false,
        },
      ],
    });
  }

  private free(name: string): string {
    if (!Object.hasOwn(this.all, name)) return name;
    let number = 2;
    while (Object.hasOwn(this.all, `${name}-${number}`)) number += 1;
    return `${name}-${number}`;
  }
}

/**
 * Whether a key of a mapping has a value, plain or with its origin. A pattern, because the YAML language server takes
 * `rl` for the beginning of the constant `rlhf` while it completes.
 */
export function says(key: string, value: string): JsonSchema {
  const word = { type: 'string', pattern: `^${value}$` };
  const withOrigin = { type: 'object', properties: { value: word }, required: ['value'] };
  return { properties: { [key]: { anyOf: [word, withOrigin] } }, required: [key] };
}

/** What must hold where something else does. */
export function when(condition: JsonSchema, met: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  return {
    if: condition,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: met,
    ...(otherwise === undefined ? {} : { else: otherwise }),
  };
}
