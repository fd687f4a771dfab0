import { z } from 'zod';
import { registryOf } from '../options/tables.ts';
import { armSchema, variantKeys } from './file-schema.ts';
import { Definitions, type JsonSchema, says, when } from './json-schema/definitions.ts';
import { fromZod } from './json-schema/from-zod.ts';
import { stageParts } from './json-schema/stages.ts';
import { studySchema } from './schema.ts';
import { nameSchema } from './stage-schemas.ts';
import { targetSchema } from './target-schema.ts';

/**
 * The study file for editors, as JSON Schema of draft 2020-12. It says yes to all that `her` takes; what only the whole
 * study shows (names that lead nowhere, sums, rules between options) it leaves to `her`.
 */
export function studyJsonSchema(): JsonSchema {
  const definitions = new Definitions();
  const { stages: _, target: __, ...plain } = studySchema.shape;
  const { arms: ___, targets: ____, questions } = variantKeys;
  const top = fromZod(z.strictObject({ ...plain, questions }), definitions);
  const { stage, complete, change } = stageParts(definitions);
  const target = targetParts(definitions);
  const name = z.toJSONSchema(nameSchema).pattern ?? '';
  const named = (inner: JsonSchema): JsonSchema => ({
    type: 'object',
    patternProperties: { [name]: inner },
    additionalProperties: false,
  });
  const { models, ...known } = top['properties'] as Record<string, JsonSchema>;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A study of her',
    ...top,
    properties: {
      ...known,
      models: withModelNames(models, definitions),
      target: when({ type: 'string' }, { pattern: name }, target),
      targets: { description: 'Targets by name, where there are several', ...named(target) },
      arms: {
        description: variantKeys.arms.description,
        ...named(armOf(change, named, definitions)),
      },
      stages: named(stage),
    },
    required: [...(top['required'] as string[]), 'target', 'stages'],
    // With arms or targets a stage need not be whole in itself.
    ...when(
      { not: { anyOf: [{ required: ['arms'] }, { required: ['targets'] }] } },
      { properties: { stages: { additionalProperties: complete } } },
    ),
    $defs: sorted(definitions.all),
  };
}

/** The text of the file that studies name in their first line. */
export function studyJsonSchemaText(): string {
  return `${lines(studyJsonSchema(), 4)}\n`;
}

function targetParts(definitions: Definitions): JsonSchema {
  const kinds = targetSchema.options.map((schema) => {
    const kind = z.object({ kind: z.unknown() }).parse(fromZod(schema, definitions)['properties']).kind;
    const word = String((kind as JsonSchema)['const']);
    return { word, own: definitions.share(`target-${word}`, fromZod(schema, definitions)) };
  });
  return definitions.share('target', {
    type: 'object',
    properties: { kind: definitions.withOrigin('target-kind', { enum: kinds.map(({ word }) => word) }) },
    required: ['kind'],
    allOf: kinds.map(({ word, own }) => when(says('kind', word), own)),
  });
}

function armOf(
  change: JsonSchema,
  named: (inner: JsonSchema) => JsonSchema,
  definitions: Definitions,
): JsonSchema {
  const { change: written, ...rest } = armSchema.shape;
  const { properties, ...arm } = fromZod(z.strictObject(rest), definitions);
  const about = written.description;
  return {
    ...arm,
    properties: { ...(properties as object), change: { description: about, ...named(change) } },
  };
}

/** The names that ms-swift knows are offered; others are left to `her`. */
function withModelNames(models: JsonSchema | undefined, definitions: Definitions): JsonSchema {
  const { templates, modelTypes } = registryOf('ms-swift');
  const offered = (name: string, names: string[]) =>
    definitions.withOrigin(name, { anyOf: [{ enum: names }, { type: 'string', minLength: 1 }] });
  const [[pattern = '', entry] = []] = Object.entries(
    (models?.['patternProperties'] ?? {}) as Record<string, JsonSchema>,
  );
  const own = entry?.['properties'] as Record<string, JsonSchema>;
  const properties = {
    ...own,
    type: { description: own['type']?.['description'], ...offered('model-type', Object.keys(modelTypes)) },
    template: { description: own['template']?.['description'], ...offered('template', templates) },
  };
  return { ...models, patternProperties: { [pattern]: { ...entry, properties } } };
}

function sorted(record: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** JSON with one entry a line down to a depth, so that a change of an option is a change of a line. */
function lines(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${JSON.stringify(key)}:${lines(inner, depth - 1)}`);
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}}`;
}
