import { z } from 'zod';
import { nameSchema } from './stage-schemas.ts';

const stageChanges = z
  .record(nameSchema, z.record(z.string(), z.unknown()))
  .describe('Keys of stages that are other in this variant; mappings are merged, all else is replaced');

/** A variant under comparison. */
export const armSchema = z.strictObject({
  about: z.string().optional().describe('What this arm shows'),
  stages: z
    .array(nameSchema)
    .min(1)
    .optional()
    .describe('The stages it runs (default: all); what they need comes along'),
  change: stageChanges.default({}),
});
export type Arm = z.infer<typeof armSchema>;

/** Something that only a person can decide, with what is known about it. */
export const questionSchema = z.strictObject({
  ask: z.string().min(1).describe('The question'),
  facts: z.array(z.string().min(1)).default([]).describe('What is known, and where from'),
  settles: z
    .array(z.string().min(1))
    .default([])
    .describe('Keys of the study that hold the answer, joined by dots'),
  answer: z
    .string()
    .trim()
    .min(1, 'an answer, or leave it out')
    .nullable()
    .default(null)
    .describe('Yours; `her run` starts nothing while one is missing'),
});
export type Question = z.infer<typeof questionSchema>;

/** The parts of a study file that make several variants of it, or that ask for a decision. */
export const variantKeys = {
  /** The target, or the name of one of `targets`. */
  targets: z.record(nameSchema, z.unknown()).default({}).describe('Targets by name, where there are several'),
  arms: z
    .record(nameSchema, armSchema)
    .default({})
    .describe('Variants under comparison; the first is the baseline'),
  questions: z.record(nameSchema, questionSchema).default({}).describe('What only a person can decide'),
};

export const fileSchema = z.looseObject(variantKeys);
export type StudyFileParts = z.infer<typeof fileSchema>;
