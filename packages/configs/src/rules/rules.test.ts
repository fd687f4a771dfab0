import { describe, expect, it } from 'vitest';
import { stageContext } from '../stages/contexts.ts';
import { verlSettings } from '../stages/rl/render.ts';
import { swiftSettings } from '../stages/swift/render.ts';
import { studySchema } from '../study/schema.ts';
import { readStudySource } from '../study/source.ts';
import { edited, problemsOf, studyText } from '../testing.ts';
import { allSwiftRules, swiftRules } from './ms-swift/rules.ts';
import { rulesOf } from './options.ts';
import { contextOf } from './rule.ts';
import { verlRules } from './verl.ts';

type Edit = [from: string, to: string];

/** The fixture on one node of eight GPUs. */
const onGpus: Edit[] = [
  [
    '{ kind: local, device: cpu, cores: 2, memory_gb: 12 }',
    '{ kind: slurm, nodes: 1, cores: 64, memory_gb: 1000, gpus: { per_node: 8, kind: H100-80 } }',
  ],
  ['batch: { global: 16, per_device: 16 }', 'batch: { global: 16, per_device: 2 }'],
  ['micro_per_device: 16', 'micro_per_device: 8'],
];
const swiftOption = (line: string): Edit => ['weight_decay: 0.0', line];
const verlOption = (line: string): Edit => ['actor_rollout_ref.actor.optim.lr: 3.0e-4', line];
const noSwiftOptions: Edit = [
  studyText.slice(studyText.indexOf('    options:\n      learning_rate'), studyText.lastIndexOf('\n  rl:')),
  '',
];
const megatron = (line = ''): Edit[] => [
  noSwiftOptions,
  ['kind: sft', `kind: sft\n    trainer: megatron-swift${line}`],
];
const dapo = (overlong = 'overlong: { buffer: 32 }'): Edit => [
  'algorithm: grpo',
  `algorithm: dapo\n    ${overlong}`,
];
const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';

/** A study that breaks a rule, and a piece of what it is told. */
const broken: [what: string, edits: Edit[], message: string][] = [
  ['packing without flash attention', [swiftOption('packing: true')], '`packing` needs flash attention'],
  ['padding-free without flash attention', [swiftOption('padding_free: true')], '`padding_free` needs flash'],
  [
    'packing while tokenizing lazily',
    [...onGpus, swiftOption('packing: true\n      attn_impl: flash_attn\n      lazy_tokenize: true')],
    '`packing` and `lazy_tokenize` exclude each other',
  ],
  [
    'a packed stream that should be resumed',
    [
      ...onGpus,
      swiftOption('packing: true\n      attn_impl: flash_attn\n      streaming: true'),
      ['epochs: 3', 'steps: 3'],
    ],
    'a packed stream cannot be resumed',
  ],
  ['a stream without steps', [swiftOption('streaming: true')], '`streaming` needs `steps`'],
  [
    'DeepSpeed beside FSDP',
    [
      ...onGpus,
      swiftOption('deepspeed: zero2'),
      ['max_length: 512', 'max_length: 512\n    parallel: { sharding: fsdp2 }'],
    ],
    'DeepSpeed and FSDP exclude each other',
  ],
  [
    'DeepSpeed said twice',
    [
      ...onGpus,
      swiftOption('deepspeed: zero2'),
      ['max_length: 512', 'max_length: 512\n    parallel: { sharding: zero3 }'],
    ],
    '`deepspeed` is said twice',
  ],
  [
    'automatic tensor parallel with ZeRO-3',
    [
      ...onGpus,
      swiftOption('deepspeed_autotp_size: 2'),
      ['max_length: 512', 'max_length: 512\n    parallel: { sharding: zero3 }'],
    ],
    '`deepspeed_autotp_size` works with',
  ],
  [
    'offload without DeepSpeed',
    [...onGpus, ['max_length: 512', 'max_length: 512\n    parallel: { offload: all }']],
    '`parallel.offload` needs zero2 or zero3, not none',
  ],
  ['a warm-up said twice', [swiftOption('warmup_steps: 5')], '`warmup_ratio` and `warmup_steps`'],
  ['no checkpoints', [swiftOption('save_strategy: "no"')], 'without checkpoints nothing can be resumed'],
  ['a resume of weights only', [swiftOption('resume_only_model: true')], 'makes a resumed run another run'],
  [
    'a link that fails in a resumed run',
    [swiftOption('create_checkpoint_symlink: true')],
    'fails in a resumed run',
  ],
  [
    'grouping by length without shuffling',
    [swiftOption('group_by_length: true\n      train_dataloader_shuffle: false')],
    '`group_by_length` needs',
  ],
  ['fp16 beside bf16', [...onGpus, swiftOption('fp16: true\n      bf16: true')], '`fp16` and `bf16` exclude'],
  ['float32 left to ms-swift', [...onGpus, swiftOption('torch_dtype: float32')], 'switches fp16 autocast on'],
  ['a best checkpoint of nothing', [swiftOption('load_best_model_at_end: true')], 'needs `validation`'],
  ['flash attention on a CPU', [swiftOption('attn_impl: flash_attn')], 'flash attention needs a GPU'],
  ['sharding on a CPU', [swiftOption('deepspeed: zero3')], 'nothing to shard over'],
  [
    'GRPO of ms-swift with nobody to judge',
    [noSwiftOptions, ['kind: sft', 'kind: rlhf\n    method: grpo']],
    'GRPO needs `reward_funcs`',
  ],
  [
    'GRPO of ms-swift whose groups do not fill the batch',
    [
      swiftOption('reward_funcs: [accuracy]\n      num_generations: 7'),
      ['kind: sft', 'kind: rlhf\n    method: grpo'],
    ],
    'is not a multiple of num_generations 7',
  ],
  [
    'rows that may go from an uncounted set',
    [
      ['{ output: prepare.sft }', '{ path: ./rows.jsonl }'],
      ['max_length: 512', 'max_length: 512\n    overlong: { delete: 3 }'],
    ],
    'give `data.NAME.rows`',
  ],
  [
    'rows that may go from a stream',
    [
      swiftOption('streaming: true'),
      ['epochs: 3', 'steps: 3'],
      ['max_length: 512', 'max_length: 512\n    overlong: { delete: 3 }'],
    ],
    'with `streaming` dropped rows cannot be counted',
  ],
  [
    'rows that may go in Megatron',
    [...megatron(), ['max_length: 512', 'max_length: 512\n    overlong: { delete: 3 }']],
    'nothing counts the rows',
  ],
  [
    'a method that Megatron-SWIFT lacks',
    [noSwiftOptions, ['kind: sft', 'kind: rlhf\n    trainer: megatron-swift\n    method: orpo']],
    'has no such method',
  ],
  ['a learning rate that is none', [['learning_rate: 3.0e-3', 'learning_rate: 10']], '10 is not from 0 to 1'],
  ['saves by epoch', [swiftOption('save_strategy: epoch')], '`save_every` counts steps'],
  [
    'a plugin by half its path',
    [swiftOption('external_plugins: [./plugin.py]')],
    'would be looked for in the folder of the attempt',
  ],
  [
    "Megatron's words without Megatron",
    [...onGpus, ['max_length: 512', 'max_length: 512\n    parallel: { tensor: 2 }']],
    '`parallel.tensor` does nothing without',
  ],
  ['a critic of nobody', [['algorithm: grpo', 'algorithm: gae']], 'gae trains a critic'],
  [
    "Megatron's words on FSDP",
    [...onGpus, ['length: { prompt', 'parallel: { pipeline: 2 }\n    length: { prompt']],
    '`parallel.pipeline` does nothing with engine fsdp2',
  ],
  ['a stage that trains nothing', [verlOption('trainer.val_only: true')], 'nothing would be trained'],
  [
    'validation on the prompts',
    [['length: { prompt', 'validate_every: 2\n    length: { prompt']],
    'on the prompts themselves',
  ],
  [
    'two KL terms',
    [verlOption(`${actor}.use_kl_loss: true\n      algorithm.use_kl_in_reward: true`)],
    'counted twice',
  ],
  ['a clip that verl does not read', [verlOption(`${actor}.clip_ratio: 0.3`)], '`clip_ratio` does nothing'],
  [
    'a line break in a word of the study',
    [dapo('overlong: { buffer: 32 }\n    filter: { metric: "a\\nb" }')],
    'has a line break',
  ],
  [
    'the rows it trains on to validate',
    [['max_length: 512', 'max_length: 512\n    validation: sft']],
    'validates nothing',
  ],
  ['one set named twice', [['data: sft\n    epochs', 'data: [sft, sft]\n    epochs']], 'is named twice'],
  ['adapters that go on as a model', [swiftOption('tuner_type: lora')], 'leaves adapters'],
  [
    'more prompts a step than there are',
    [
      ['rl: 256, heldout', 'rl: 256, heldout'],
      ['{ output: prepare.rl }', '{ path: ./rl.parquet, rows: 3 }'],
    ],
    'fewer than one step takes',
  ],
  ['prompts on a hub', [['{ output: prepare.rl }', '{ hub: some/data }']], 'is an id of a hub'],
  ['errors as warnings', [swiftOption('ignore_args_error: true')], 'lets wrong options pass'],
  ['adapters in a full fine-tuning', [swiftOption('lora_rank: 8')], '`lora_rank` does nothing'],
  [
    'an unknown template',
    [['template: qwen3_nothinking', 'template: qwen3_nothinkin']],
    'no template `qwen3_nothinkin`. Did you mean `qwen3_nothinking`?',
  ],
  ['an unknown model type', [['type: qwen3', 'type: qwen33']], 'no model_type `qwen33`'],
  ['a model of no type', [['type: qwen3, ', '']], 'must be told the model_type'],
  [
    'an unknown loss scale',
    [['max_length: 512', 'max_length: 512\n    loss: last_rond']],
    'no loss scale `last_rond`',
  ],
  [
    'full recomputation without a method',
    [...megatron('\n    options: { recompute_granularity: full }')],
    'needs `recompute_method`',
  ],
  [
    'asynchronous saves of Megatron',
    megatron('\n    options: { async_save: true }'),
    '`async_save` names a checkpoint before',
  ],
  [
    'ZeRO in Megatron',
    [...onGpus, ...megatron('\n    parallel: { sharding: zero3 }')],
    'is for ms-swift without Megatron',
  ],
  [
    'a key that verl ignores',
    [verlOption('custom_reward_function.path: x.py')],
    'does not read it. Its place now: reward.custom_reward_function.path',
  ],
  ['determinism with groups', [verlOption(`${rollout}.full_determinism: true`)], 'the gradient zero'],
  ['a negative clip', [verlOption(`${actor}.clip_ratio_low: -1`)], 'the lower clip is 0 or more'],
  ['a dual clip below 1', [verlOption(`${actor}.clip_ratio_c: 0.5`)], 'is above 1'],
  [
    'DAPO with a symmetric clip',
    [dapo(), verlOption(`${actor}.clip_ratio_high: 0.2`)],
    "DAPO's upper clip is above",
  ],
  [
    'DAPO with a loss by sequence',
    [dapo(), verlOption(`${actor}.loss_agg_mode: seq-mean-token-mean`)],
    'a mean over tokens',
  ],
  ['DAPO with a KL term', [dapo(), verlOption(`${actor}.use_kl_loss: true`)], 'DAPO has no KL term'],
  [
    'dynamic sampling in the v0 trainer',
    [dapo(), verlOption('trainer.use_v1: false')],
    'the v0 trainer does not know',
  ],
  [
    'dynamic sampling without a metric',
    [verlOption('algorithm.filter_groups.enable: true\n      algorithm.filter_groups.metric: null')],
    'needs a metric',
  ],
  ['metrics that reach nobody', [verlOption('trainer.logger: [console]')], 'without `file` no metric'],
  [
    'asynchronous saves of verl',
    [verlOption(`${actor}.checkpoint.async_save: true`)],
    'starts again at step 0',
  ],
  [
    'a resume without the optimizer',
    [verlOption(`${actor}.checkpoint.load_contents: [model]`)],
    'would lack: optimizer, extra',
  ],
  ['an engine too short', [verlOption(`${rollout}.max_model_len: 100`)], 'max_model_len 100 is less than'],
  [
    'too few tokens without chunks',
    [
      [
        'actor_rollout_ref.rollout.max_num_batched_tokens: 4096',
        `${rollout}.max_num_batched_tokens: 256\n      ${rollout}.enable_chunked_prefill: false`,
      ],
    ],
    'without chunked prefill',
  ],
  [
    'micro-batches shorter than a reply',
    [verlOption(`${actor}.use_dynamic_bsz: true\n      ${actor}.ppo_max_token_len_per_gpu: 128`)],
    'is less than a prompt and its reply',
  ],
  [
    'shared sequences with padding',
    [
      ...onGpus,
      ['length: { prompt', 'parallel: { sequence: 2 }\n    length: { prompt'],
      verlOption('actor_rollout_ref.model.use_remove_padding: false'),
    ],
    'needs `use_remove_padding`',
  ],
  ['a share above one', [verlOption(`${rollout}.gpu_memory_utilization: 60`)], 'is no share'],
  ['a learning rate of zero', [verlOption(`${actor}.optim.lr: 0`)], '0 is not above 0'],
  ['a critic that nobody asks', [verlOption('critic.enable: true')], 'never asked'],
  [
    'states on the host under FSDP1',
    [...onGpus, ['algorithm: grpo', 'algorithm: grpo\n    engine: fsdp\n    parallel: { offload: always }']],
    'needs engine fsdp2, not fsdp',
  ],
  ['DAPO without a buffer', [['algorithm: grpo', 'algorithm: dapo']], 'dapo needs `overlong`'],
  ['a buffer as long as a reply', [dapo('overlong: { buffer: 128 }')], 'no shorter than a reply'],
  [
    "DAPO's words elsewhere",
    [['algorithm: grpo', 'algorithm: grpo\n    filter: { metric: acc }']],
    'belongs to `algorithm: dapo`',
  ],
];

describe('a study with', () => {
  it.each(broken)('%s is refused at its line', (_, edits, message) => {
    const problems = problemsOf(edited(...edits));
    const [found] = problems.filter((problem) => problem.includes(message));
    expect(found, problems.join('\n')).toMatch(/^\d+:\d+ {2}stages\./);
  });
});

describe('each rule', () => {
  it('is broken by one of these studies, and by neither fixture', () => {
    const says = broken.flatMap(([, edits]) => brokenSays(edited(...edits)));
    const untested = [...allSwiftRules, ...verlRules]
      .map((rule) => rule.says)
      .filter((rule) => !says.includes(rule));
    expect(untested).toEqual([]);
    expect(problemsOf(edited(...onGpus))).toEqual([]);
    expect(problemsOf(edited(...onGpus, dapo()))).toEqual([]);
  });
});

/** What the rules say that a study breaks, whatever else is wrong with it. */
function brokenSays(text: string): string[] {
  const study = studySchema.parse(readStudySource(text, 'study.yaml').value);
  const told = () => ({ origin: 'user' }) as const;
  return Object.entries(study.stages).flatMap(([stageName, stage]) => {
    const table = rulesOf(stage)?.table;
    if (table === undefined) return [];
    const about = { stageName, seed: 11 };
    if (stage.kind === 'rl') {
      const context = stageContext(study, told, { ...about, stage });
      const ruled = contextOf(context, verlSettings(context).settings, table);
      return verlRules.filter((rule) => rule.check(ruled).length > 0).map((rule) => rule.says);
    }
    if (stage.kind !== 'sft' && stage.kind !== 'rlhf') return [];
    const context = stageContext(study, told, { ...about, stage });
    const ruled = contextOf(context, swiftSettings(context).settings, table);
    return swiftRules(stage)
      .filter((rule) => rule.check(ruled).length > 0)
      .map((rule) => rule.says);
  });
}
