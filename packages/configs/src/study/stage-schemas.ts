import { z } from 'zod';
import { optionsSchema } from './settings.ts';

const count = z.int().positive();
const name = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,30}$/, 'a name: small letters, digits, - and _, at most 31');
const limits = z
  .strictObject({
    /** Seconds until the first step must have been logged. */
    first_step: count.optional(),
    /** Seconds without a step, a log line or work before the attempt counts as hung. */
    silence: count.optional(),
    /** Seconds between SIGTERM and SIGKILL, in which the trainer may save. */
    grace: count.optional(),
  })
  .default({});
const needs = z.strictObject({ cores: z.number().positive(), memory_gb: z.number().positive() });

/** Builds the start model and the corpus of a study that brings neither. */
export const prepareStage = z.strictObject({
  kind: z.literal('prepare'),
  seed: z.int().nonnegative(),
  /** Rows of each split. */
  rows: z.strictObject({ sft: count, rl: count, heldout: count }),
  /** Invented books of each split; no book is in two. */
  books: z.strictObject({ sft: count, rl: count, heldout: count }),
  vocab: count,
  model: z.strictObject({
    hidden: count,
    layers: count,
    heads: count,
    kv_heads: count,
    head_dim: count,
    intermediate: count,
  }),
  needs: needs.default({ cores: 1, memory_gb: 2 }),
  limits,
});

/** Full supervised fine-tuning by ms-swift. */
export const sftStage = z.strictObject({
  kind: z.literal('sft'),
  model: name,
  data: name,
  epochs: z.number().positive(),
  batch: z.strictObject({ global: count, per_device: count }),
  max_length: count,
  /** Steps between two checkpoints. */
  save_every: count,
  /** How many checkpoints the trainer keeps; never under two, so that one whole one survives a torn save. */
  keep: z.int().min(2).default(2),
  loss: z.enum(['last_round', 'default', 'all']).default('last_round'),
  options: optionsSchema,
  needs: needs.default({ cores: 1, memory_gb: 4 }),
  limits,
});

/** Reinforcement learning by verl. */
export const rlStage = z.strictObject({
  kind: z.literal('rl'),
  algorithm: z.enum(['grpo']),
  model: name,
  prompts: name,
  reward: z.strictObject({
    python: z.string().regex(/^[A-Za-z_][\w.]*:[A-Za-z_]\w*$/, 'a function: package.module:name'),
  }),
  steps: count,
  batch: z.strictObject({
    /** Prompts a step. */
    prompts: count,
    /** Replies sampled for each prompt. */
    samples: z.int().min(2, 'at least 2: the advantage compares the replies of one prompt'),
    /** Prompts of one optimizer step. */
    mini: count,
    /** Replies of one forward pass on one device. */
    micro_per_device: count,
  }),
  length: z.strictObject({ prompt: count, response: count }),
  save_every: count,
  options: optionsSchema,
  needs: needs.default({ cores: 2, memory_gb: 10 }),
  limits,
});

/** Scores models on held-out rows: loss, share of well-formed replies, mean reward. */
export const evaluateStage = z.strictObject({
  kind: z.literal('evaluate'),
  models: z.array(name).min(1),
  data: name,
  samples: count,
  /** Replies sampled side by side. */
  batch: count.default(64),
  max_new_tokens: count,
  temperature: z.number().positive().default(1),
  needs: needs.default({ cores: 1, memory_gb: 2 }),
  limits,
});

export const stageSchema = z.discriminatedUnion('kind', [prepareStage, sftStage, rlStage, evaluateStage]);
export type Stage = z.infer<typeof stageSchema>;
export type StageOf<K extends Stage['kind']> = Extract<Stage, { kind: K }>;
export type StageKind = Stage['kind'];
export { name as nameSchema };
