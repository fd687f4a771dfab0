import { z } from 'zod';

const origin = z.string();
const value: z.ZodType<unknown> = z.unknown();

/** A value of a job's own file with where it came from, as in a plan. */
const setting = z.object({
  value,
  origin,
  evidence: z.string().optional(),
  deviatesFromPaper: z.literal(true).optional(),
  key: z.string().optional(),
});

const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('output'), job: z.string(), output: z.string() }),
  z.object({ kind: z.literal('path'), path: z.string(), digest: z.string().nullable() }),
  z.object({ kind: z.literal('hub'), id: z.string() }),
]);

const job = z.object({
  name: z.string(),
  id: z.string(),
  /** Under `jobs/`. */
  folder: z.string(),
  stage: z.string(),
  kind: z.string(),
  arm: z.string(),
  seed: z.number().nullable(),
  /** Names of the jobs that come before. */
  needs: z.array(z.string()),
  environment: z.enum(['swift', 'verl']),
  /** `ms-swift 4.6.0`. */
  trainer: z.string(),
  nodes: z.number(),
  gpusPerNode: z.number(),
  cores: z.number(),
  memoryGb: z.number(),
  steps: z.number().nullable(),
  /** Whether `run.sh` can go on from a checkpoint. */
  resumable: z.boolean(),
  inputs: z.array(z.object({ name: z.string(), from: source })),
  outputs: z.array(z.object({ name: z.string(), path: z.string() })),
  env: z.record(z.string(), z.string()),
  seeds: z.array(
    z.object({
      source: z.string(),
      value: z.number().nullable(),
      effect: z.string(),
      drives: z.string(),
    }),
  ),
  reproducibility: z.string(),
  settings: z.record(z.string(), setting),
  /** SHA-256 of the rendered files, by their path in the job's folder. */
  files: z.record(z.string(), z.string()),
});

/** What a study comes to: its jobs by name, without any path of this machine that the study does not write itself. */
export const descriptionSchema = z.object({
  study: z.string(),
  target: z.string(),
  /** SHA-256 over the source of our own node-side code. */
  code: z.string(),
  /** In an order in which each comes after what it needs. */
  jobs: z.array(job),
});
export type StudyDescription = z.infer<typeof descriptionSchema>;
export type JobDescription = StudyDescription['jobs'][number];
export type DescribedInput = JobDescription['inputs'][number];

/** `kit.json`. A folder with one is a kit, and the files that it lists are ours. */
export const kitSchema = descriptionSchema.extend({
  kit: z.literal(1),
  /** SHA-256 by path, of every file of the kit but this one. */
  files: z.record(z.string(), z.string()),
});
export type KitDescription = z.infer<typeof kitSchema>;
