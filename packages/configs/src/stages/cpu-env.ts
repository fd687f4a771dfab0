/**
 * Environment of every trainer process on a machine without GPUs. Thread counts are fixed because the sums of a
 * matrix product depend on how many threads share it; the hub is off because a run's inputs are all on disk.
 */
export function cpuEnv(threads: number): Record<string, string> {
  return {
    OMP_NUM_THREADS: String(threads),
    MKL_NUM_THREADS: String(threads),
    TOKENIZERS_PARALLELISM: 'false',
    HF_HUB_OFFLINE: '1',
    HF_DATASETS_OFFLINE: '1',
    PYTHONUNBUFFERED: '1',
    CUDA_VISIBLE_DEVICES: '',
  };
}
