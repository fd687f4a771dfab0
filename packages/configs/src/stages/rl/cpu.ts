import { cpuEnv } from '../cpu-env.ts';
import type { Override } from './overrides.ts';

const float32 = { param_dtype: 'fp32', reduce_dtype: 'fp32', buffer_dtype: 'fp32' };

/**
 * What verl needs to run without a GPU: our platform and engine (her_workers.verl_cpu), float32, no kernels that
 * only GPUs have, one worker of each kind, and small shared-memory pools.
 */
export const cpuOverrides: readonly Override[] = [
  { key: 'trainer.device', value: 'cpu' },
  { key: 'actor_rollout_ref.model.external_lib', value: 'her_workers.verl_cpu.engine' },
  { key: 'actor_rollout_ref.model.use_remove_padding', value: false },
  { key: 'actor_rollout_ref.model.override_config.attn_implementation', add: true, value: 'sdpa' },
  { key: 'actor_rollout_ref.model.enable_gradient_checkpointing', value: false },
  { key: 'actor_rollout_ref.actor.fsdp_config.mixed_precision', add: true, value: float32 },
  { key: 'actor_rollout_ref.ref.fsdp_config.mixed_precision', add: true, value: float32 },
  { key: 'actor_rollout_ref.actor.fsdp_config.use_torch_compile', value: false },
  { key: 'actor_rollout_ref.ref.fsdp_config.use_torch_compile', value: false },
  { key: 'actor_rollout_ref.actor.use_torch_compile', value: false },
  { key: 'actor_rollout_ref.rollout.dtype', value: 'float32' },
  { key: 'actor_rollout_ref.rollout.enforce_eager', value: true },
  { key: 'actor_rollout_ref.rollout.free_cache_engine', value: false },
  { key: 'actor_rollout_ref.rollout.enable_sleep_mode', add: true, value: false },
  { key: 'actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes', value: 64 },
  { key: 'actor_rollout_ref.rollout.agent.num_workers', value: 1 },
  {
    key: 'actor_rollout_ref.rollout.engine_kwargs.vllm.kv_cache_memory_bytes',
    add: true,
    value: 134_217_728,
  },
  { key: 'reward.num_workers', value: 1 },
  { key: 'transfer_queue.backend.SimpleStorage.num_data_storage_units', value: 1 },
  { key: 'transfer_queue.backend.SimpleStorage.total_storage_size', value: 2000 },
  { key: 'data.dataloader_num_workers', value: 0 },
  { key: 'data.filter_overlong_prompts_workers', value: 1 },
  { key: 'ray_kwargs.ray_init.num_cpus', value: 8 },
  { key: 'ray_kwargs.ray_init.num_gpus', add: true, value: 1 },
  { key: 'ray_kwargs.ray_init.include_dashboard', add: true, value: false },
  { key: 'ray_kwargs.ray_init.object_store_memory', add: true, value: 300_000_000 },
];

export function verlCpuEnv(cores: number): Record<string, string> {
  return {
    ...cpuEnv(cores),
    VERL_PLATFORM: 'cpu',
    VLLM_CPU_OMP_THREADS_BIND: 'nobind',
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO: '0',
    RAY_USAGE_STATS_ENABLED: '0',
    // Ray starts its workers with nice 15: any other load on the machine would starve them.
    RAY_worker_niceness: '0',
    // vLLM would compile its log-probability operator with the machine's C++ compiler.
    TORCH_COMPILE_DISABLE: '1',
    // The engine writes its seed to the log at this level; the seed is read back from there.
    VLLM_LOGGING_LEVEL: 'INFO',
    WANDB_MODE: 'disabled',
    VERL_FILE_LOGGER_PATH: 'out/metrics.jsonl',
    HYDRA_FULL_ERROR: '1',
  };
}
