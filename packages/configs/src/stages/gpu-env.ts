/**
 * Environment of every trainer process on GPU nodes.
 * @param hub whether an input is an id of a model hub; without one the hub is off, because all inputs are on disk
 */
export function gpuEnv({ hub }: { hub: boolean }): Record<string, string> {
  return {
    // Long rows of changing length leave holes in the pool that fixed segments cannot reuse.
    PYTORCH_CUDA_ALLOC_CONF: 'expandable_segments:True',
    TOKENIZERS_PARALLELISM: 'false',
    PYTHONUNBUFFERED: '1',
    OMP_NUM_THREADS: '8',
    ...(hub ? {} : { HF_HUB_OFFLINE: '1', HF_DATASETS_OFFLINE: '1' }),
  };
}
