import { z } from 'zod';
import { codeSchema } from './code-schema.ts';
import { notifySchema } from './notify-schema.ts';
import { secretsSchema } from './secret-schema.ts';
import { nameSchema, stageSchema } from './stage-schemas.ts';
import { storeSchema } from './store-schema.ts';
import { targetSchema } from './target-schema.ts';

const stageOutput = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/, "a stage's output: stage.output");
const count = z.int().positive();

/** One of the ways to say where something is. */
const whereabouts = {
  path: z
    .string()
    .min(1)
    .optional()
    .describe('A file or folder; from the folder of the study file, or a whole path of the nodes'),
  via: z.enum(['rsync']).optional().describe('The path is on this machine, and is copied to the nodes'),
  output: stageOutput.optional().describe('What a stage writes: stage.output'),
  hub: z.string().min(1).optional().describe('An id of a model hub, fetched by the trainer'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, '64 hex digits')
    .optional()
    .describe('The hash that it must have; needed to pin a path that is not on this machine'),
};

function oneWhereabouts(given: { path?: unknown; output?: unknown; hub?: unknown }): boolean {
  return [given.path, given.output, given.hub].filter((way) => way !== undefined).length === 1;
}
const oneWay = { message: 'give one of `path`, `output`, `hub`' };

const shapeSchema = z.strictObject({
  layers: count,
  hidden: count,
  heads: count,
  kv_heads: count,
  head_dim: count,
  intermediate: count,
  vocab: count,
  tied: z.boolean().default(false).describe('Whether input and output embeddings are one'),
});

/** A model on disk or on a hub, or one that a stage writes. */
const modelSchema = z
  .strictObject({
    ...whereabouts,
    type: z.string().min(1).optional().describe("ms-swift's model_type; needed where ms-swift trains it"),
    template: z.string().min(1).optional().describe("ms-swift's template; needed where ms-swift trains it"),
    shape: z
      .union([z.string().min(1), shapeSchema])
      .optional()
      .describe('A known shape (qwen3-32b) or its numbers; decides the memory that a plan predicts'),
  })
  .refine(oneWhereabouts, oneWay);

/** A data file or a set of a hub, or one that a stage writes. */
const dataSchema = z
  .strictObject({
    ...whereabouts,
    rows: count.optional().describe('How many rows it has; decides the steps of a plan'),
    mean_tokens: z.number().positive().optional().describe('Mean tokens of a row; decides tokens and FLOPs'),
  })
  .refine(oneWhereabouts, oneWay);

/** A study without variants. What the study means stands here; a trainer's own options stand under `options`. */
export const studySchema = z.strictObject({
  her: z.literal(1).describe('Version of this format'),
  name: nameSchema,
  about: z.string().optional(),
  seeds: z
    .array(
      z
        .int()
        .min(0)
        .max(2 ** 31 - 1),
    )
    .min(1)
    .superRefine((seeds, context) => {
      seeds.forEach((seed, i) => {
        if (seeds.indexOf(seed) < i)
          context.addIssue({ code: 'custom', path: [i], message: `seed ${seed} is listed twice` });
      });
    })
    .describe('Root seeds; every random source of a job is derived from one of them'),
  trainers: z
    .strictObject({
      'ms-swift': z.literal('4.6.0').optional(),
      verl: z.literal('0.9.1').optional(),
    })
    .describe('The versions that the study is written for'),
  models: z.record(nameSchema, modelSchema).default({}),
  data: z.record(nameSchema, dataSchema).default({}),
  target: targetSchema,
  code: codeSchema.optional(),
  secrets: secretsSchema,
  checkpoints: storeSchema.optional(),
  notify: notifySchema,
  stages: z.record(nameSchema, stageSchema),
  measure: z
    .strictObject({
      primary: z.strictObject({
        metric: z.enum(['heldout_loss', 'well_formed', 'mean_reward']),
        of: nameSchema,
        direction: z.enum(['up', 'down']),
      }),
    })
    .optional(),
});

/** A study as one arm sees it, on the chosen target. */
export type Study = z.infer<typeof studySchema>;
export type ModelEntry = Study['models'][string];
export type DataEntry = Study['data'][string];
