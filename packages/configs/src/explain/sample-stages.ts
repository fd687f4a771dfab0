import { pinnedVersions } from '../options/tables.ts';
import { swiftRules } from '../rules/ms-swift/rules.ts';
import { verlRules } from '../rules/verl.ts';
import { stageContext } from '../stages/contexts.ts';
import { verlSettings } from '../stages/rl/render.ts';
import { rlOwnedOptions } from '../stages/rl/study-words.ts';
import type { Settings } from '../stages/settings-builder.ts';
import { swiftCommand } from '../stages/swift/command.ts';
import { swiftSettings } from '../stages/swift/render.ts';
import { swiftOwnedOptions } from '../stages/swift/study-words.ts';
import { type Study, studySchema } from '../study/schema.ts';
import { type Stage, type StageOf, type SwiftStage, stageSchema } from '../study/stage-schemas.ts';

/** What a trainer is given for one stage, and which of that a study can only say in its own words. */
export type Sample = {
  trainer: 'ms-swift' | 'verl';
  command: string;
  algorithm: string | null;
  settings: Settings;
  owned: Record<string, string>;
  rules: readonly { options: readonly string[]; says: string }[];
};

const swift = { model: 'm', data: 'd', batch: { global: 64, per_device: 1 }, max_length: 8, save_every: 1 };
const verl = {
  kind: 'rl',
  model: 'm',
  prompts: 'd',
  reward: { python: 'a:b', model: 'm', serve: { gpus_per_node: 8 } },
  batch: { prompts: 8, samples: 8, mini: 8, micro_per_device: 1 },
  length: { prompt: 8, response: 8 },
  keep: 2,
  save_every: 1,
};
const ways = [
  { epochs: 1, validation: 'd', parallel: { sharding: 'zero3', sequence: 2 } },
  { steps: 1, parallel: { sharding: 'fsdp2' } },
];

/** Stages that between them use every word that becomes an option. */
function sampleStages(): Stage[] {
  const trained = (['ms-swift', 'megatron-swift'] as const).flatMap((trainer) =>
    ways.flatMap((way) => [
      { ...swift, ...way, kind: 'sft', trainer },
      { ...swift, ...way, kind: 'rlhf', method: 'dpo', loss: 'default', trainer },
    ]),
  );
  const filtered = { overlong: { buffer: 4 }, filter: { metric: 'reward' } };
  const reinforced = (['fsdp2', 'megatron'] as const).flatMap((engine) => [
    { ...verl, engine, algorithm: 'grpo', steps: 1 },
    { ...verl, engine, algorithm: 'grpo', epochs: 1, reward: { file: 'a.py:b' } },
    { ...verl, engine, algorithm: 'dapo', steps: 1, ...filtered },
  ]);
  return [...trained, ...reinforced].map((stage) => stageSchema.parse(stage));
}

const gpus = { kind: 'ssh', hosts: ['a', 'b'], gpus: { per_node: 8, memory_gb: 80 }, cores: 1, memory_gb: 1 };
const cpu = { kind: 'local' };

let made: Sample[] | undefined;

/** The sample stages as their trainers get them, with GPUs and without. */
export function samples(): readonly Sample[] {
  made ??= [gpus, cpu].flatMap((target) => {
    const study = sampleStudy(target);
    return sampleStages().map((stage) => sampleOf(study, stage));
  });
  return made;
}

function sampleStudy(target: object): Study {
  return studySchema.parse({
    her: 1,
    name: 'sample',
    seeds: [1],
    trainers: pinnedVersions,
    target,
    models: { m: { path: 'm', type: 'qwen3', template: 'qwen3' } },
    data: { d: { path: 'd' } },
    stages: {},
  });
}

function sampleOf(study: Study, stage: Stage): Sample {
  const contextOf = <S extends Stage>(own: S) =>
    stageContext<S>(study, () => ({ origin: 'user' }), { stageName: 's', stage: own, seed: 1 });
  switch (stage.kind) {
    case 'sft':
    case 'rlhf':
      return swiftSample(stage, swiftSettings(contextOf<SwiftStage>(stage)).settings);
    case 'rl':
      return verlSample(stage, verlSettings(contextOf(stage)).settings);
    default:
      throw new TypeError(`a stage of kind ${stage.kind} has no trainer`);
  }
}

function swiftSample(stage: SwiftStage, settings: Settings): Sample {
  const command = swiftCommand(stage);
  const owned = swiftOwnedOptions(command);
  return { trainer: 'ms-swift', command, algorithm: null, settings, owned, rules: swiftRules(stage) };
}

function verlSample(stage: StageOf<'rl'>, settings: Settings): Sample {
  const command = stage.engine === 'megatron' ? 'megatron' : 'fsdp';
  return {
    trainer: 'verl',
    command,
    algorithm: stage.algorithm,
    settings,
    owned: rlOwnedOptions(stage),
    rules: verlRules,
  };
}
