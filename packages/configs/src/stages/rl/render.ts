import { seedOf } from '../../seeds/table.ts';
import type { OptionValue, Setting } from '../../study/settings.ts';
import type { StageOf } from '../../study/stage-schemas.ts';
import { launchScript } from '../launch-script.ts';
import type { Rendered, StageContext } from '../stage-context.ts';
import { cpuOverrides, verlCpuEnv } from './cpu.ts';
import { type Override, overrideText } from './overrides.ts';
import { rlReproducibility, rlSeedOptions, rlSeedTable } from './seeds.ts';
import { grpoOverrides, stageOverrides } from './study-words.ts';

/** One verl run, as `python -m verl.trainer.main_ppo` with the overrides of `verl.overrides`, one a line. */
export function renderRl({ study, stageName, stage, seed }: StageContext<StageOf<'rl'>>): Rendered {
  const seeds = rlSeedTable(seed ?? 0, stageName);
  const seedOverrides = rlSeedOptions.map((key): Override => ({ key, value: seedOf(seeds, key) }));
  const own = [...cpuOverrides, ...grpoOverrides];
  const words = [...stageOverrides(stage, study.name), ...seedOverrides];
  const overrides = mergeOverrides(own, words, optionOverrides(stage));
  const lines = overrides.map(overrideText);
  const program = ['python', '-m', 'verl.trainer.main_ppo'];
  const argv = [...program, ...lines];
  const env = { ...verlCpuEnv(stage.needs.cores), PYTHONHASHSEED: String(seedOf(seeds, 'PYTHONHASHSEED')) };
  return {
    environment: 'verl',
    files: {
      'verl.overrides': `${lines.join('\n')}\n`,
      'launch.sh': launchScript({ argv: program, env, argsFile: 'verl.overrides' }),
    },
    argv,
    env,
    metrics: [{ format: 'verl', path: 'out/metrics.jsonl', maxSteps: stage.steps }],
    checkpoints: { format: 'verl', path: 'out/checkpoints', worldSize: 1 },
    seedRecord: 'verl',
    outputs: [{ name: 'model', path: 'out/checkpoints/global_step_*/actor/huggingface' }],
    resume: {
      argv: ['trainer.resume_mode=resume_path', 'trainer.resume_from_path=inputs/resume/{checkpoint}'],
      format: 'verl',
      path: 'inputs/resume',
    },
    seeds,
    reproducibility: rlReproducibility,
    settings: settingsOf(own, words, stage),
    steps: stage.steps,
    code: ['rewards', 'dialogue', 'verl_cpu'],
  };
}

/** The later layer wins; the order of first mention is kept, so that the file reads in groups. */
function mergeOverrides(...layers: (readonly Override[])[]): Override[] {
  const merged = new Map<string, Override>();
  for (const override of layers.flat()) {
    const before = merged.get(override.key);
    merged.set(override.key, before?.add === undefined ? override : { ...override, add: true });
  }
  return [...merged.values()];
}

function optionOverrides(stage: StageOf<'rl'>): Override[] {
  return Object.entries(stage.options).map(([key, setting]) =>
    key.startsWith('+')
      ? { key: key.slice(1), add: true, value: setting.value }
      : { key, value: setting.value },
  );
}

function settingsOf(
  own: readonly Override[],
  words: readonly Override[],
  stage: StageOf<'rl'>,
): Record<string, Setting<OptionValue>> {
  const from = (overrides: readonly Override[], origin: 'her' | 'user'): [string, Setting<OptionValue>][] =>
    overrides.map(({ key, value }) => [key, { value, origin }]);
  return Object.fromEntries([...from(own, 'her'), ...from(words, 'user'), ...Object.entries(stage.options)]);
}
