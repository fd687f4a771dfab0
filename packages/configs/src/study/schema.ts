import { z } from 'zod';
import { nameSchema, stageSchema } from './stage-schemas.ts';

const stageOutput = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/, "a stage's output: stage.output");

/** A model on disk, or one that a stage writes. */
const modelSchema = z
  .strictObject({
    path: z.string().min(1).optional(),
    output: stageOutput.optional(),
    type: z.string().min(1),
    template: z.string().min(1),
  })
  .refine((model) => (model.path === undefined) !== (model.output === undefined), {
    message: 'give either `path` or `output`, one of the two',
  });

/** A data file, or one that a stage writes. */
const dataSchema = z
  .strictObject({ path: z.string().min(1).optional(), output: stageOutput.optional() })
  .refine((data) => (data.path === undefined) !== (data.output === undefined), {
    message: 'give either `path` or `output`, one of the two',
  });

const localTarget = z.strictObject({
  kind: z.literal('local'),
  device: z.enum(['cpu']).default('cpu'),
  cores: z.number().positive().default(2),
  memory_gb: z.number().positive().default(12),
});

/** The study file. What the study means stands here; a trainer's own options stand under `options`. */
export const studySchema = z.strictObject({
  her: z.literal(1),
  name: nameSchema,
  about: z.string().optional(),
  /** Root seeds; every random source of a job is derived from one of them. */
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
    }),
  trainers: z.strictObject({
    'ms-swift': z.literal('4.6.0').optional(),
    verl: z.literal('0.9.1').optional(),
  }),
  models: z.record(nameSchema, modelSchema).default({}),
  data: z.record(nameSchema, dataSchema).default({}),
  target: localTarget,
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

export type Study = z.infer<typeof studySchema>;
