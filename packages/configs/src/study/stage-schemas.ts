import { z } from 'zod';
import { optionsSchema } from './settings.ts';
import { takenVariables } from './taken-variables.ts';

const count = z.int().positive();
const name = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,30}$/, 'a name: small letters, digits, - and _, at most 31');
const limits = z
  .strictObject({
    first_step: count.optional().describe('Seconds until the first step must have been logged'),
    silence: count.optional().describe('Seconds without a step, a log line or work until it counts as hung'),
    grace: count.optional().describe('Seconds between SIGTERM and SIGKILL, in which the trainer may save'),
  })
  .default({});
const needs = z.strictObject({ cores: z.number().positive(), memory_gb: z.number().positive() });
/** What a job takes of each node, where jobs share nodes; a job on GPUs has its nodes alone. */
const needsOr = (cores: number, memory_gb: number) => needs.default({ cores, memory_gb });
const nodes = count.optional().describe('Nodes of the target that one job takes (default: all)');
const oneOrMore = z.union([name, z.array(name).min(1)]);
const secretVariable = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)S?$/i;

const envSchema = z
  .record(z.string().regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable'), z.string())
  .superRefine((env, context) => {
    for (const [name, value] of Object.entries(env)) {
      const message = takenVariables.test(name)
        ? 'this variable is set by the launch itself'
        : secretVariable.test(name)
          ? 'a study never holds a secret, and this name looks like one: name it under `secrets`'
          : // biome-ignore lint/suspicious/noControlCharactersInRegex: what a script cannot carry
            /[\u0000-\u0008\u000b-\u001f\u007f]/.test(value) || !value.isWellFormed()
            ? 'a control character cannot be carried by a launch script'
            : undefined;
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .transform((env) => Object.fromEntries(Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))))
  .default({})
  .describe('Environment variables of the trainer; no secrets');

/** Builds the start model and the corpus of a study that brings neither. */
export const prepareStage = z.strictObject({
  kind: z.literal('prepare'),
  seed: z.int().nonnegative(),
  rows: z.strictObject({ sft: count, rl: count, heldout: count }).describe('Rows of each split'),
  books: z
    .strictObject({ sft: count, rl: count, heldout: count })
    .describe('Invented books of each split; no book is in two'),
  vocab: count,
  model: z.strictObject({
    hidden: count,
    layers: count,
    heads: count,
    kv_heads: count,
    head_dim: count,
    intermediate: count,
  }),
  needs: needsOr(1, 2),
  limits,
});

/** What ms-swift's training stages have in common, whatever they train on. */
const swiftFields = {
  trainer: z
    .enum(['ms-swift', 'megatron-swift'])
    .default('ms-swift')
    .describe('ms-swift itself, or its Megatron side'),
  model: name.describe('A name of `models`, or a stage whose model goes on'),
  data: oneOrMore.optional().describe('Names of `data`; or `cached_dataset` under `options`'),
  validation: oneOrMore.optional().describe('Names of `data` that are never trained on'),
  epochs: z.number().positive().optional().describe('Passes over the data; or `steps`'),
  steps: count.optional().describe('Optimizer steps; or `epochs`'),
  batch: z.strictObject({
    global: count.describe('Rows (or packs) of one optimizer step, over all devices'),
    per_device: count.describe('Rows of one forward pass on one device'),
  }),
  max_length: count.describe('Tokens of one row, or of one pack'),
  overlong: z
    .union([z.enum(['error', 'left', 'right']), z.strictObject({ delete: z.int().nonnegative() })])
    .default('error')
    .describe('A row over max_length: an error, cut at one side, or deleted, and how many at most'),
  parallel: z
    .strictObject({
      sharding: z
        .enum(['none', 'zero1', 'zero2', 'zero3', 'fsdp2'])
        .default('none')
        .describe('What is spread over the devices: DeepSpeed ZeRO or FSDP2 (ms-swift)'),
      offload: z.enum(['none', 'all']).default('none').describe('Whether states live in host memory'),
      sequence: count.default(1).describe('Devices that share one sequence (ms-swift)'),
      tensor: count.default(1).describe('Tensor parallel (Megatron)'),
      pipeline: count.default(1).describe('Pipeline parallel (Megatron)'),
      context: count.default(1).describe('Context parallel (Megatron)'),
    })
    .prefault({}),
  save_every: count.describe('Steps between two checkpoints'),
  keep: z
    .int()
    .min(2)
    .default(2)
    .describe('Checkpoints that stay; two at least, so that a whole one survives a torn save'),
  resumable: z
    .boolean()
    .default(true)
    .describe('false: asks by name for checkpoints that nothing can be resumed from'),
  nodes,
  env: envSchema,
  options: optionsSchema,
  needs: needsOr(1, 4),
  limits,
};

/** Supervised fine-tuning by ms-swift; a generative reward model is trained so too. */
export const sftStage = z.strictObject({
  kind: z.literal('sft'),
  ...swiftFields,
  loss: z
    .string()
    .regex(/^[a-z_0-9+.]+$/)
    .default('last_round')
    .describe('Which tokens count: last_round, default, all or another of ms-swift'),
});

/** Preference tuning and on-policy training by ms-swift's own `rlhf`. */
export const rlhfStage = z.strictObject({
  kind: z.literal('rlhf'),
  method: z
    .enum(['dpo', 'orpo', 'simpo', 'kto', 'cpo', 'rm', 'ppo', 'grpo', 'gkd'])
    .describe("ms-swift's rlhf_type"),
  ...swiftFields,
  loss: z
    .string()
    .regex(/^[a-z_0-9+.]+$/)
    .optional()
    .describe('Which tokens count, where the method asks'),
});

/** Estimators of verl that a study may name; `dapo` is GRPO's with DAPO's sampling, clip and length penalty. */
export const rlAlgorithms = [
  'grpo',
  'dapo',
  'gae',
  'rloo',
  'remax',
  'reinforce_plus_plus',
  'reinforce_plus_plus_baseline',
  'opo',
  'grpo_passk',
  'gpg',
  'gdpo',
  'rloo_vectorized',
  'grpo_vectorized',
  'optimal_token_baseline',
  'tir_optimal_token_baseline',
] as const;

/** Estimators that compare the replies of one prompt, and so need two at least. */
export const groupAlgorithms: readonly string[] = [
  'grpo',
  'dapo',
  'rloo',
  'gdpo',
  'gpg',
  'opo',
  'grpo_passk',
  'grpo_vectorized',
  'rloo_vectorized',
  'reinforce_plus_plus_baseline',
];

const rewardSchema = z
  .strictObject({
    python: z
      .string()
      .regex(/^[A-Za-z_][\w.]*:[A-Za-z_]\w*$/, 'a function: package.module:name')
      .optional()
      .describe('A function of an installed package: package.module:name'),
    file: z
      .string()
      .regex(/^[^:]+\.py:[A-Za-z_]\w*$/, 'a function: path/file.py:name')
      .optional()
      .describe('A function of a file: path/file.py:name'),
    by: z.literal('data_source').optional().describe("verl's own scorer of each row's data_source"),
    model: name.optional().describe('A reward model that the function asks, served beside the trainer'),
    serve: z
      .strictObject({
        nodes: count.default(1),
        gpus_per_node: count,
        tensor: count.default(1).describe('GPUs of one replica'),
      })
      .optional()
      .describe('GPUs of its own for the reward model'),
  })
  .refine(({ python, file, by }) => [python, file, by].filter((given) => given !== undefined).length === 1, {
    message: 'give one of `python`, `file`, `by`',
  })
  .refine(({ model, serve }) => (model === undefined) === (serve === undefined), {
    message: '`model` and `serve` go together',
  });

/** Reinforcement learning by verl. */
export const rlStage = z.strictObject({
  kind: z.literal('rl'),
  algorithm: z.enum(rlAlgorithms),
  engine: z.enum(['fsdp2', 'fsdp', 'megatron']).default('fsdp2').describe('How verl spreads the actor'),
  model: name.describe('A name of `models`, or a stage whose model goes on'),
  prompts: oneOrMore.describe('Names of `data`'),
  validation: oneOrMore.optional().describe('Names of `data` that are never trained on'),
  reward: rewardSchema,
  steps: count.optional().describe('Training steps; or `epochs`'),
  epochs: count.optional().describe('Passes over the prompts; or `steps`'),
  batch: z.strictObject({
    prompts: count.describe('Prompts of one step'),
    samples: count.describe('Replies sampled for each prompt'),
    mini: count.describe('Prompts of one optimizer step'),
    micro_per_device: count
      .optional()
      .describe('Replies of one forward pass on one device; left out with use_dynamic_bsz'),
  }),
  length: z.strictObject({
    prompt: count.describe('Tokens at most'),
    response: count.describe('Tokens at most'),
  }),
  overlong: z
    .strictObject({
      buffer: count.describe('Tokens before the limit over which the penalty grows'),
      penalty: z.number().positive().default(1),
    })
    .optional()
    .describe('Soft punishment of replies that come near the limit (dapo)'),
  filter: z
    .strictObject({
      metric: z.string().min(1).describe('`reward`, or a key that the reward function returns'),
      inflight: count.default(2).describe('Generation batches under way at once'),
    })
    .optional()
    .describe('Dynamic sampling: prompts whose replies all got the same are drawn again (dapo)'),
  parallel: z
    .strictObject({
      sequence: count.default(1).describe('Devices that share one sequence (FSDP)'),
      offload: z
        .enum(['none', 'optimizer', 'all', 'always'])
        .default('none')
        .describe(
          'What of the actor rests in host memory while it does not train; always: while it trains too',
        ),
      rollout_tensor: count.default(1).describe('GPUs of one rollout replica'),
      tensor: count.default(1).describe('Tensor parallel (Megatron)'),
      pipeline: count.default(1).describe('Pipeline parallel (Megatron)'),
      context: count.default(1).describe('Context parallel (Megatron)'),
    })
    .prefault({}),
  validate_every: count.optional().describe('Steps between two validations'),
  save_every: count.describe('Steps between two checkpoints'),
  keep: z.int().min(2).optional().describe('Checkpoints that stay (default: all)'),
  resumable: z
    .boolean()
    .default(true)
    .describe('false: asks by name for checkpoints that nothing can be resumed from'),
  nodes,
  env: envSchema,
  options: optionsSchema,
  needs: needsOr(2, 10),
  limits,
});

/** Scores models on held-out rows: loss, share of well-formed replies, mean reward. */
export const evaluateStage = z.strictObject({
  kind: z.literal('evaluate'),
  models: z.array(name).min(1),
  data: name,
  samples: count,
  batch: count.default(64).describe('Replies sampled side by side'),
  max_new_tokens: count,
  temperature: z.number().positive().default(1),
  needs: needsOr(1, 2),
  limits,
});

export const stageSchema = z.discriminatedUnion('kind', [
  prepareStage,
  sftStage,
  rlhfStage,
  rlStage,
  evaluateStage,
]);
export type Stage = z.infer<typeof stageSchema>;
export type StageOf<K extends Stage['kind']> = Extract<Stage, { kind: K }>;
export type StageKind = Stage['kind'];
/** A stage that ms-swift trains. */
export type SwiftStage = StageOf<'sft' | 'rlhf'>;
export { name as nameSchema };

/** The names in a field that takes one or several. */
export function namesOf(written: string | readonly string[] | undefined): readonly string[] {
  if (written === undefined) return [];
  return typeof written === 'string' ? [written] : written;
}
