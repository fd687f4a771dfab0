import type { Job, Plan, TrainerEnvironment } from '../plan/job.ts';

/** What a person must know of one environment of the kit. */
export type KitEnvironment = {
  name: TrainerEnvironment;
  /** Whether our lock of it is made for what this study does. */
  locked: boolean;
  /** Packages that the study's settings call for and the lock does not hold. */
  more: string[];
};

/**
 * The environments that the jobs run in. Our lock of verl has vLLM for CPUs, so it is of no use to a job with GPUs.
 * @param locks the files of each lock, by their path in the kit
 */
export function kitEnvironments(
  { jobs }: Pick<Plan, 'jobs'>,
  locks: Record<string, Record<string, string>>,
): KitEnvironment[] {
  const names = [...new Set(jobs.map(({ environment }) => environment))].sort();
  return names.map((name) => {
    const own = jobs.filter(({ environment }) => environment === name);
    const gpus = own.some(({ resources }) => resources.gpus > 0);
    const held = locks[name]?.[`infra/envs/${name}/uv.lock`] ?? '';
    const more = [...new Set(own.flatMap(calledFor))].filter((one) => !held.includes(`\nname = "${one}"\n`));
    return { name, locked: !(name === 'verl' && gpus), more: more.sort() };
  });
}

/** Packages that only some settings need. */
function calledFor({ environment, settings, argv }: Job): string[] {
  if (environment !== 'swift') return [];
  const is = (name: string): unknown => settings[name]?.value ?? false;
  return [
    ...(is('deepspeed') === false ? [] : ['deepspeed']),
    ...(/^flash_att/.test(String(is('attn_impl'))) ? ['flash-attn'] : []),
    ...(is('use_liger_kernel') === true ? ['liger-kernel'] : []),
    ...(is('use_vllm') === true ? ['vllm'] : []),
    ...(argv[0] === 'megatron' ? ['megatron-core'] : []),
  ];
}

/** `setup.sh`: the locked environments, each into its own folder. Null where none is locked. */
export function setupScript(environments: readonly KitEnvironment[], uv: string): string | null {
  const locked = environments.filter((environment) => environment.locked).map(({ name }) => name);
  if (locked.length === 0) return null;
  return `#!/usr/bin/env bash
# Sets up the locked environments under infra/envs/*/.venv, 6 to 7 GB each on the disk; safe to repeat.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "$0")"
if ! command -v uv > /dev/null; then
  echo 'setup.sh: there is no uv. Install it: python3 -m pip install uv==${uv}' >&2
  exit 1
fi
export UV_PROJECT_ENVIRONMENT=.venv
${locked.map((name) => `uv sync --locked --compile-bytecode --python 3.11 --project infra/envs/${name}`).join('\n')}
`;
}
