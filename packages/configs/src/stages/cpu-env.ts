/**
 * Environment of every trainer process on a machine without GPUs. Thread counts are fixed, because the sums of a
 * matrix product depend on how many threads share it; waiting threads sleep, because several trainers share the
 * cores; the hub is off, because a run's inputs are all on disk.
 * @param cores what the stage asked for
 */
export function cpuEnv(cores: number): Record<string, string> {
  const threads = Math.max(1, Math.floor(cores));
  return {
    OMP_NUM_THREADS: String(threads),
    MKL_NUM_THREADS: String(threads),
    OMP_WAIT_POLICY: 'PASSIVE',
    TOKENIZERS_PARALLELISM: 'false',
    HF_HUB_OFFLINE: '1',
    HF_DATASETS_OFFLINE: '1',
    PYTHONUNBUFFERED: '1',
  };
}
