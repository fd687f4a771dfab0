import { seedOf, seedTable } from '../../seeds/table.ts';
import { namesOf, type SwiftStage } from '../../study/stage-schemas.ts';
import { worldSize } from '../../study/target-schema.ts';
import { cpuEnv } from '../cpu-env.ts';
import { gpuEnv } from '../gpu-env.ts';
import { gangOf, launchScript } from '../launch-script.ts';
import { mergeSettings, plainValues, type Settings } from '../settings-builder.ts';
import type { Rendered, StageContext } from '../stage-context.ts';
import { isMegatron, swiftCommand, swiftLaunch } from './command.ts';
import { keptRows } from './kept-rows.ts';
import { swiftOwnChoices } from './own-choices.ts';
import { swiftReproducibility, swiftSeedSources } from './seeds.ts';
import { swiftWords } from './study-words.ts';
import { yaml11 } from './yaml11.ts';

/** One run of ms-swift, as `swift sft sft.yaml` or its like. */
export function renderSwift(context: StageContext<SwiftStage>): Rendered {
  const { stage, machine } = context;
  const { settings, seeds, sampled } = swiftSettings(context);
  const counted = keptRows(context.study, stage, {});
  const command = swiftCommand(stage);
  const { file, argv } = swiftLaunch(command);
  const hashSeed = { PYTHONHASHSEED: String(seedOf(seeds, 'PYTHONHASHSEED')) };
  const env = { ...swiftEnv(context), ...hashSeed, ...counted.env, ...stage.env };
  const gang = gangOf('torchrun', machine);
  return {
    environment: 'swift',
    files: {
      [file]: yaml11(plainValues(settings)),
      'launch.sh': launchScript({ argv, env, gang }),
      ...counted.files,
    },
    argv,
    env,
    gang,
    metrics: [{ format: 'swift', path: 'out/logging.jsonl' }],
    ...(isMegatron(command)
      ? // Its checkpoints are of a third kind, which the agent cannot prove whole yet.
        { checkpoints: null, resume: null, outputs: [{ name: 'model', path: 'out/checkpoint-*' }] }
      : {
          checkpoints: { format: 'swift' as const, path: 'out', worldSize: worldSize(machine) },
          resume: {
            argv: ['--resume_from_checkpoint', 'inputs/resume/{checkpoint}'],
            format: 'swift' as const,
            path: 'inputs/resume',
          },
          outputs: [{ name: 'model', path: 'out/checkpoint-*' }],
        }),
    seedRecord: 'swift',
    seeds,
    reproducibility: swiftReproducibility(machine, sampled),
    settings,
    steps: stage.steps ?? null,
    code: counted.code,
  };
}

/** Every setting of the trainer's file, and the seeds among them. */
export function swiftSettings(context: StageContext<SwiftStage>): {
  settings: Settings;
  seeds: ReturnType<typeof seedTable>;
  sampled: boolean;
} {
  const { stage, stageName, seed, machine } = context;
  const method = stage.kind === 'rlhf' ? stage.method : null;
  const sampled = method === 'grpo' || method === 'gkd' || method === 'ppo';
  const sources = swiftSeedSources(swiftCommand(stage), {
    tuner: stage.options['tuner_type'] ?? 'full',
    method,
    sampledBy: sampled ? (stage.options['use_vllm'] === true ? 'vllm' : 'trainer') : null,
  });
  const seeds = seedTable(seed ?? 0, stageName, sources);
  const merged = mergeSettings(context, {
    her: swiftOwnChoices(stage, machine),
    study: swiftWords(context, seeds),
    options: stage.options,
  });
  return { settings: keptRows(context.study, stage, merged).settings, seeds, sampled };
}

function swiftEnv({ study, stage, machine }: StageContext<SwiftStage>): Record<string, string> {
  if (machine.gpusPerNode === 0)
    return { ...cpuEnv(stage.needs.cores), ...(machine.nodes > 1 ? { NPROC_PER_NODE: '1' } : {}) };
  const named = [...namesOf(stage.data), ...namesOf(stage.validation)];
  const hub =
    study.models[stage.model]?.hub !== undefined || named.some((name) => study.data[name]?.hub !== undefined);
  return {
    ...gpuEnv({ hub }),
    NPROC_PER_NODE: String(machine.gpusPerNode),
    ...(isMegatron(swiftCommand(stage)) ? { CUDA_DEVICE_MAX_CONNECTIONS: '1' } : {}),
  };
}
