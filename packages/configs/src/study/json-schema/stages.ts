import { z } from 'zod';
import { type StageKind, stageSchema } from '../stage-schemas.ts';
import { type Definitions, type JsonSchema, says, when } from './definitions.ts';
import { fromZod } from './from-zod.ts';
import { optionsOf } from './options.ts';

/** A command that the options of a stage may belong to: the first whose key has its value. */
type Chosen = { when?: [key: string, value: string]; command: string };

const commands: Partial<Record<StageKind, readonly Chosen[]>> = {
  sft: [{ when: ['trainer', 'megatron-swift'], command: 'megatron-sft' }, { command: 'sft' }],
  rlhf: [{ when: ['trainer', 'megatron-swift'], command: 'megatron-rlhf' }, { command: 'rlhf' }],
  rl: [{ when: ['engine', 'megatron'], command: 'megatron' }, { command: 'fsdp' }],
};

export type StageParts = {
  /** A stage as the file writes it. Its required keys stand apart: an arm or a target may bring them. */
  stage: JsonSchema;
  complete: JsonSchema;
  /** Keys of any stage that are other in an arm. */
  change: JsonSchema;
};

export function stageParts(definitions: Definitions): StageParts {
  const kinds = stageSchema.options.map((schema) => {
    const [kind = 'prepare'] = [...schema.shape.kind.values];
    return { kind, ...partsOf(kind, schema, definitions) };
  });
  const word = { enum: kinds.map(({ kind }) => kind), description: 'What the stage does' };
  const byKind = (then: (one: (typeof kinds)[number]) => JsonSchema): JsonSchema[] =>
    kinds.map((one) => when(says('kind', one.kind), then(one)));
  return {
    stage: definitions.share('stage', {
      type: 'object',
      properties: { kind: definitions.withOrigin('kind', word) },
      required: ['kind'],
      allOf: byKind(({ own }) => own),
    }),
    complete: definitions.share('complete-stage', { allOf: byKind(({ required }) => ({ required })) }),
    change: definitions.share('change', { anyOf: kinds.map(({ change }) => change) }),
  };
}

function partsOf(
  kind: StageKind,
  schema: (typeof stageSchema.options)[number],
  definitions: Definitions,
): { own: JsonSchema; change: JsonSchema; required: unknown } {
  const { kind: _, options, ...words } = schema.shape as Record<string, z.ZodType>;
  const bare = z.strictObject(words);
  const { required, properties, ...rest } = fromZod(bare, definitions);
  const { properties: changeable, ...changed } = fromZod(bare, definitions, { partial: true });
  const own = commands[kind] ?? [];
  const tables = own.map(({ command }) => optionsOf(command, definitions));
  const about = options?.description ?? '';
  const change = definitions.share(`${kind}-change`, {
    ...changed,
    properties: {
      kind: { const: kind },
      ...(changeable as object),
      ...(options === undefined ? {} : { options: { description: about, anyOf: tables } }),
    },
  });
  const stage = definitions.share(kind, {
    ...rest,
    properties: {
      kind: true,
      ...(properties as object),
      ...(options === undefined ? {} : { options: { type: 'object', description: about } }),
      on: {
        type: 'object',
        description: 'Keys of the stage that are other on a target, by the name of the target',
        additionalProperties: change,
      },
    },
    ...optionsBy(own, tables),
  });
  return { own: stage, change, required };
}

function optionsBy(
  [first, ...others]: readonly Chosen[],
  [table, ...tables]: readonly JsonSchema[],
): JsonSchema {
  if (first === undefined || table === undefined) return {};
  const here = { properties: { options: table } };
  return first.when === undefined ? here : when(says(...first.when), here, optionsBy(others, tables));
}
