import { seedOf } from '../../seeds/table.ts';
import { namesOf, type StageOf } from '../../study/stage-schemas.ts';
import { gpuEnv } from '../gpu-env.ts';
import { gangOf, launchScript } from '../launch-script.ts';
import { mergeSettings, type Settings } from '../settings-builder.ts';
import type { Rendered, StageContext } from '../stage-context.ts';
import { verlCpuEnv, verlEnv } from './cpu.ts';
import { engineGroups, verlTable } from './engines.ts';
import { overrideText } from './overrides.ts';
import { verlOwnChoices } from './own-choices.ts';
import { rlReproducibility, rlSeedTable } from './seeds.ts';
import { rolloutEngines, trainerNodes, verlWords } from './study-words.ts';

type RlContext = StageContext<StageOf<'rl'>>;

/** One verl run, as `python -m verl.trainer.main_ppo` with the overrides of `verl.overrides`, one a line. */
export function renderRl(context: RlContext): Rendered {
  const { stage, machine } = context;
  const { settings, seeds } = verlSettings(context);
  const lines = [...engineGroups(stage), ...overridesOf(stage, settings)];
  const program = ['python', '-m', 'verl.trainer.main_ppo'];
  const argv = [...program, ...lines];
  const env = { ...envOf(context), PYTHONHASHSEED: String(seedOf(seeds, 'PYTHONHASHSEED')), ...stage.env };
  const gang = gangOf('ray', machine);
  return {
    environment: 'verl',
    files: {
      'verl.overrides': `${lines.join('\n')}\n`,
      'launch.sh': launchScript({ argv: program, env, argsFile: 'verl.overrides', gang }),
    },
    argv,
    env,
    gang,
    metrics: [
      {
        format: 'verl',
        path: 'out/metrics.jsonl',
        ...(stage.steps === undefined ? {} : { maxSteps: stage.steps }),
      },
    ],
    checkpoints: {
      format: 'verl',
      path: 'out/checkpoints',
      worldSize: trainerNodes(stage, machine) * Math.max(1, machine.gpusPerNode),
    },
    seedRecord: 'verl',
    outputs: [{ name: 'model', path: 'out/checkpoints/global_step_*/actor/huggingface' }],
    resume: {
      argv: ['trainer.resume_mode=resume_path', 'trainer.resume_from_path=inputs/resume/{checkpoint}'],
      format: 'verl',
      path: 'inputs/resume',
    },
    seeds,
    reproducibility: rlReproducibility,
    settings,
    steps: stage.steps ?? null,
    code: ownCode(context),
  };
}

/** Every setting of the overrides, and the seeds among them. */
export function verlSettings(context: RlContext): {
  settings: Settings;
  seeds: ReturnType<typeof rlSeedTable>;
} {
  const { stage, stageName, seed, machine } = context;
  const seeds = rlSeedTable(seed ?? 0, stageName, stage, rolloutEngines(stage, machine));
  const options = Object.fromEntries(
    Object.entries(stage.options).map(([name, value]) => [name.replace(/^\+/, ''), value]),
  );
  const settings = mergeSettings(context, {
    her: verlOwnChoices(stage, machine),
    study: verlWords(context, seeds),
    options,
  });
  // An added key is found in the study with its plus.
  for (const name of Object.keys(stage.options).filter((written) => written.startsWith('+'))) {
    const setting = settings[name.slice(1)];
    if (setting !== undefined) settings[name.slice(1)] = { ...setting, key: `options.${name}` };
  }
  return { settings, seeds };
}

/** Branches of verl's tree that take keys of any name; what stands there is added by Hydra's `+`. */
const openBranches = [
  'ray_kwargs.ray_init.',
  'reward.reward_kwargs.',
  'actor_rollout_ref.model.override_config.',
  'actor_rollout_ref.rollout.engine_kwargs.',
];
/** @throws {TypeError} for a key of our own that verl does not know: a mistake of this program */
function overridesOf(stage: StageOf<'rl'>, settings: Settings): string[] {
  const { options } = verlTable(stage);
  return Object.entries(settings).map(([key, { value }]) => {
    const declared = Object.hasOwn(options, key) ? options[key] : undefined;
    if (key.startsWith('hydra.')) return overrideText({ key, value });
    if (declared !== undefined)
      return overrideText({ key, value, ...(declared.hidden === true ? { add: true } : {}) });
    const asked = Object.hasOwn(stage.options, `+${key}`);
    if (!asked && !openBranches.some((branch) => key.startsWith(branch)))
      throw new TypeError(`verl has no ${key} to set`);
    return overrideText({ key, value, add: true });
  });
}
function envOf({ study, stage, machine }: RlContext): Record<string, string> {
  if (machine.gpusPerNode === 0) return verlCpuEnv(stage.needs.cores);
  const models = [stage.model, ...(stage.reward.model === undefined ? [] : [stage.reward.model])];
  const data = [...namesOf(stage.prompts), ...namesOf(stage.validation)];
  const hub = [
    ...models.map((name) => study.models[name]?.hub),
    ...data.map((name) => study.data[name]?.hub),
  ].some((id) => id !== undefined);
  return { ...gpuEnv({ hub }), ...verlEnv };
}

/** Modules of ours that the run loads. */
function ownCode({ stage, machine }: RlContext): string[] {
  const rewards = stage.reward.python?.startsWith('her_workers.') ? ['rewards', 'dialogue'] : [];
  return [...rewards, ...(machine.gpusPerNode === 0 ? ['verl_cpu'] : [])];
}
