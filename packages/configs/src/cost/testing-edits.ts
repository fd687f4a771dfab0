/** A piece of the study's text, and what stands in its place; the piece must be there, once. */
export type Edit = [from: string, to: string];

const target = 'target: { kind: local, device: cpu, cores: 2, memory_gb: 12 }';
const start = 'start: { output: prepare.model, type: qwen3, template: qwen3_nothinking }';
const qwen3 = 'type: qwen3, template: qwen3_nothinking';

/** The fixture's study on eight H100, from Qwen3-8B, with data whose size is said. */
export const onGpus: Edit[] = [
  [
    target,
    'target: { kind: slurm, nodes: 1, gpus: { per_node: 8, kind: H100-80 }, cores: 96, memory_gb: 2000 }',
  ],
  [start, `start: { path: /models/Qwen3-8B, ${qwen3} }\n  judge: { path: /models/Qwen3-14B, ${qwen3} }`],
  ['sft: { output: prepare.sft }', 'sft: { path: /data/sft.jsonl, rows: 10000, mean_tokens: 1000 }'],
  ['rl: { output: prepare.rl }', 'rl: { path: /data/rl.parquet, rows: 6400, mean_tokens: 200 }'],
  ['per_device: 16 }\n    max_length: 512', 'per_device: 2 }\n    max_length: 4096'],
  ['      optim: adamw_torch\n      gradient_checkpointing: false', '      optim: adamw_torch'],
  // Each stage for itself: what one leaves must not matter to the other.
  ['algorithm: grpo\n    model: sft', 'algorithm: grpo\n    model: start'],
  ['models: [start, sft, rl]', 'models: [start]'],
  ['micro_per_device: 16 }', 'micro_per_device: 2 }'],
];

/** A study's options of its SFT stage; YAML. */
export const sftOption = (line: string): Edit => ['optim: adamw_torch', `optim: adamw_torch\n      ${line}`];
/** The same of its RL stage. */
export const rlOption = (line: string): Edit => [
  'actor_rollout_ref.actor.optim.lr: 3.0e-4',
  `actor_rollout_ref.actor.optim.lr: 3.0e-4\n      ${line}`,
];
/** Words of the SFT stage, before its options. */
export const sftWord = (line: string): Edit => ['    save_every: 40', `    save_every: 40\n    ${line}`];
/** Words of the RL stage, before its options. */
export const rlWord = (line: string): Edit => ['    save_every: 10', `    save_every: 10\n    ${line}`];
/** Preference tuning in place of the SFT stage, which has the name still. */
export const method = (name: string): Edit => ['    kind: sft\n', `    kind: rlhf\n    method: ${name}\n`];

export const zero3 = sftWord('parallel: { sharding: zero3 }');
export const lora = sftOption('tuner_type: lora');
export const optim = (name: string): Edit => ['optim: adamw_torch', `optim: ${name}`];

/** The SFT stage by Megatron-SWIFT over eight GPUs. */
export const megatronSft: Edit[] = [
  ['    kind: sft\n', '    kind: sft\n    trainer: megatron-swift\n'],
  sftWord('parallel: { tensor: 8 }'),
  [
    '      lr_scheduler_type: cosine\n      warmup_ratio: 0.05\n      weight_decay: 0.0\n      optim: adamw_torch',
    '      recompute_granularity: full\n      recompute_method: uniform\n      recompute_num_layers: 1',
  ],
  ['learning_rate: 3.0e-3', 'lr: 3.0e-3'],
];

export const offload = (word: string): Edit => rlWord(`parallel: { offload: ${word} }`);
/** Several options of the RL stage. */
export const lines = (...options: string[]): Edit => rlOption(options.join('\n      '));
export const algorithm = (name: string): Edit => ['algorithm: grpo', `algorithm: ${name}`];

/** The RL stage by Megatron over eight GPUs. */
export const megatronRl = (more = ''): Edit[] => [
  ['algorithm: grpo', 'engine: megatron\n    algorithm: grpo'],
  rlWord(`parallel: { tensor: 8, rollout_tensor: 8${more} }`),
];

/** Replies of 16,384 tokens, so that a pass over them is the fullest moment. */
export const long: Edit[] = [
  ['response: 128 }', 'response: 16384 }'],
  ['max_num_batched_tokens: 4096', 'max_num_batched_tokens: 32768'],
];
