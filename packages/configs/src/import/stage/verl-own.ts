import type { OptionValue } from '../../study/settings.ts';
import type { Taken } from './take.ts';

/** Takes what this program sets itself: folders, names, resuming, seeds. */
export function dropOwn(taken: Taken): void {
  for (const name of [
    'trainer.default_local_dir',
    'trainer.rollout_data_dir',
    'trainer.project_name',
    'trainer.experiment_name',
    'trainer.default_hdfs_dir',
  ])
    taken.drop(name, 'each attempt has its own folder, and the study its name.');
  for (const name of ['trainer.resume_mode', 'trainer.resume_from_path'])
    taken.drop(name, 'resuming is decided at run time.');
  const device = taken.peek('trainer.device');
  const line = taken.lineOf('trainer.device');
  if (device === 'cuda' || device === undefined) taken.take('trainer.device');
  else {
    taken.take('trainer.device');
    const message = `of \`${String(device)}\` a study knows nothing: its targets have CUDA GPUs, or none.`;
    taken.note(line, 'trainer.device', 'not-carried', message);
  }
  // `uv run` starts the workers of Ray as it starts the launch.
  for (const name of ['', '+'].map((adds) => `${adds}ray_kwargs.ray_init.runtime_env.py_executable`))
    taken.drop(name, 'it goes with the launcher: a job runs in the locked environment of its own.');
  const seeds = [
    'actor_rollout_ref.rollout.seed',
    'actor_rollout_ref.actor.data_loader_seed',
    'reward.reward_model.rollout.seed',
  ];
  const engines = ['fsdp_config', 'megatron'].flatMap((branch) =>
    ['actor', 'ref'].map((model) => `actor_rollout_ref.${model}.${branch}.seed`),
  );
  for (const name of [...seeds, ...engines]) taken.drop(name, 'seeds are derived from the root seed.');
}

/** What a launch leaves to verl and this program does otherwise. */
export function noteSilent(
  taken: Taken,
  { line, seedLine, seed }: { line: number; seedLine: number; seed: number | null },
): void {
  if (!taken.has('trainer.logger')) {
    const message = "metrics are read from the file logger; verl's default is console and wandb.";
    taken.note(line, 'trainer.logger', 'her-sets', message);
  }
  const message =
    seed === null
      ? 'the launch gives none, and verl shuffles anew each time; here every seed is derived from the root seed 42.'
      : `${seed} is the root seed; verl's seeds are derived from it.`;
  taken.note(seedLine, 'data.seed', 'her-sets', message, undefined, true);
}

/** Metrics reach the ledger through the file logger; a launch may have others beside it. */
export function withLogger(taken: Taken): Record<string, OptionValue> {
  const loggers = taken.peek('trainer.logger');
  const line = taken.lineOf('trainer.logger');
  const rest = taken.takeRest();
  if (loggers === undefined) return rest;
  const list = (Array.isArray(loggers) ? loggers : [loggers]).map(String);
  if (list.includes('file')) return { ...rest, 'trainer.logger': list };
  taken.note(line, 'trainer.logger', 'her-sets', '`file` is added: metrics are read from it.');
  return { ...rest, 'trainer.logger': [...list, 'file'] };
}

/** What this program writes by itself, whether or not a launch says it. */
export function withoutOwn(
  options: Record<string, OptionValue>,
  { algorithm, length }: { algorithm: string; length: { prompt: number; response: number } },
): Record<string, OptionValue> {
  const grouped = algorithm === 'grpo' || algorithm === 'dapo';
  const own: Record<string, OptionValue> = {
    'trainer.logger': ['console', 'file'],
    'trainer.val_before_train': false,
    'actor_rollout_ref.actor.calculate_entropy': true,
    'actor_rollout_ref.rollout.name': 'vllm',
    'actor_rollout_ref.rollout.max_model_len': length.prompt + length.response,
    'actor_rollout_ref.model.use_remove_padding': true,
    'actor_rollout_ref.model.enable_gradient_checkpointing': true,
    'actor_rollout_ref.rollout.gpu_memory_utilization': 0.5,
    '+ray_kwargs.ray_init.include_dashboard': false,
    ...(grouped ? { 'algorithm.use_kl_in_reward': false, 'actor_rollout_ref.actor.use_kl_loss': false } : {}),
    ...(algorithm === 'dapo'
      ? {
          'actor_rollout_ref.actor.kl_loss_coef': 0,
          'actor_rollout_ref.actor.clip_ratio_low': 0.2,
          'actor_rollout_ref.actor.clip_ratio_high': 0.28,
          'actor_rollout_ref.actor.clip_ratio_c': 10,
          'actor_rollout_ref.actor.loss_agg_mode': 'token-mean',
        }
      : {}),
  };
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) =>
        !name.startsWith('hydra.') &&
        !(Object.hasOwn(own, name) && JSON.stringify(own[name]) === JSON.stringify(value)),
    ),
  );
}
