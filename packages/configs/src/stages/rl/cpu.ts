import type { Machine } from '../../study/target-schema.ts';
import { cpuEnv } from '../cpu-env.ts';
import type { OwnChoices } from '../settings-builder.ts';

const float32 = { param_dtype: 'fp32', reduce_dtype: 'fp32', buffer_dtype: 'fp32' };
const plugin = 'our platform and engine for verl on a CPU';
const noKernel = 'a kernel that only GPUs have';
const oneWorker = 'one worker of each kind is enough on one machine';
const smallPool = 'shared memory is what a small machine has least of';
const oneDevice = 'verl asks Ray for one accelerator, though there is none';

/**
 * What verl needs to run without a GPU: our platform and engine (her_workers.verl_cpu), float32, no kernels that
 * only GPUs have, one worker of each kind, and small shared-memory pools.
 */
const cpuChoices: OwnChoices = {
  'trainer.device': { value: 'cpu', why: plugin },
  'actor_rollout_ref.model.external_lib': { value: 'her_workers.verl_cpu.engine', why: plugin },
  'actor_rollout_ref.model.use_remove_padding': { value: false, why: noKernel },
  'actor_rollout_ref.model.override_config.attn_implementation': { value: 'sdpa', why: noKernel },
  'actor_rollout_ref.model.enable_gradient_checkpointing': { value: false, why: 'memory is not short' },
  'actor_rollout_ref.actor.fsdp_config.mixed_precision': { value: float32, why: 'a CPU trains in float32' },
  'actor_rollout_ref.ref.fsdp_config.mixed_precision': { value: float32, why: 'a CPU trains in float32' },
  'actor_rollout_ref.actor.fsdp_config.use_torch_compile': { value: false, why: noKernel },
  'actor_rollout_ref.ref.fsdp_config.use_torch_compile': { value: false, why: noKernel },
  'actor_rollout_ref.actor.use_torch_compile': { value: false, why: noKernel },
  'actor_rollout_ref.rollout.dtype': { value: 'float32', why: 'a CPU trains in float32' },
  'actor_rollout_ref.rollout.enforce_eager': { value: true, why: noKernel },
  'actor_rollout_ref.rollout.free_cache_engine': { value: false, why: 'memory is not short' },
  'actor_rollout_ref.rollout.enable_sleep_mode': { value: false, why: 'memory is not short' },
  'actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes': {
    value: 64,
    why: smallPool,
  },
  'actor_rollout_ref.rollout.agent.num_workers': { value: 1, why: oneWorker },
  'actor_rollout_ref.rollout.engine_kwargs.vllm.kv_cache_memory_bytes': {
    value: 134_217_728,
    why: smallPool,
  },
  'reward.num_workers': { value: 1, why: oneWorker },
  'transfer_queue.backend.SimpleStorage.num_data_storage_units': { value: 1, why: oneWorker },
  'transfer_queue.backend.SimpleStorage.total_storage_size': { value: 2000, why: smallPool },
  'data.dataloader_num_workers': { value: 0, why: oneWorker },
  'data.filter_overlong_prompts_workers': { value: 1, why: oneWorker },
};

/** What a cluster of the job's own is told when it is formed, a single node tells Ray here. */
const oneNode: OwnChoices = {
  'ray_kwargs.ray_init.num_cpus': { value: 8, why: oneDevice },
  'ray_kwargs.ray_init.num_gpus': { value: 1, why: oneDevice },
  'ray_kwargs.ray_init.include_dashboard': { value: false, why: 'no port is opened that nobody asked for' },
  'ray_kwargs.ray_init.object_store_memory': { value: 300_000_000, why: smallPool },
};

export function cpuChoicesOf({ nodes }: Machine): OwnChoices {
  return { ...cpuChoices, ...(nodes === 1 ? oneNode : {}) };
}

export function verlCpuEnv(cores: number): Record<string, string> {
  return {
    ...cpuEnv(cores),
    ...verlEnv,
    VERL_PLATFORM: 'cpu',
    VLLM_CPU_OMP_THREADS_BIND: 'nobind',
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO: '0',
    // Ray starts its workers with nice 15: any other load on the machine would starve them.
    RAY_worker_niceness: '0',
    // vLLM would compile its log-probability operator with the machine's C++ compiler.
    TORCH_COMPILE_DISABLE: '1',
  };
}

/** Environment of verl wherever it runs. */
export const verlEnv: Record<string, string> = {
  RAY_USAGE_STATS_ENABLED: '0',
  // The engine writes its seed to the log at this level; the seed is read back from there.
  VLLM_LOGGING_LEVEL: 'INFO',
  VERL_FILE_LOGGER_PATH: 'out/metrics.jsonl',
  HYDRA_FULL_ERROR: '1',
};
