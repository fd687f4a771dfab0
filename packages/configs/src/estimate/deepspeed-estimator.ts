/**
 * What DeepSpeed's own estimator says, formula for formula (`estimate_zero2_model_states_mem_needs` and
 * `estimate_zero3_model_states_mem_needs` in deepspeed/runtime/zero, DeepSpeed pull request 965).
 * It counts model states alone, in bytes; what it prints as GB is GiB. Real use of a GPU is higher
 * (DeepSpeed issue 4527), so these are not our estimate of a GPU. They are our estimate of a host.
 */
export type DeepSpeedNeeds = { hostPerNode: number; perGpu: number };

/** Room that DeepSpeed leaves on the host for buffers and for loading. */
export const HOST_BUFFER_FACTOR = 1.5;

type Machines = { gpusPerNode: number; nodes: number };

/** ZeRO-2: 2-byte weights on every GPU; 16 bytes a parameter are sharded, or on the host. */
export function zero2Needs(parameters: number, offload: 'none' | 'optimizer', on: Machines): DeepSpeedNeeds {
  const gpus = on.gpusPerNode * on.nodes;
  if (offload === 'optimizer') {
    return {
      hostPerNode: parameters * Math.max(4 * gpus, 16) * HOST_BUFFER_FACTOR,
      perGpu: 2 * parameters,
    };
  }
  return {
    hostPerNode: parameters * 4 * on.gpusPerNode * HOST_BUFFER_FACTOR,
    perGpu: 4 * parameters + Math.trunc((16 * parameters) / gpus),
  };
}

/** ZeRO-3 of a model built shard by shard (`zero.Init`, as transformers does under a ZeRO-3 configuration). */
export function zero3Needs(
  parameters: number,
  largestLayer: number,
  offload: 'none' | 'optimizer' | 'all',
  on: Machines,
): DeepSpeedNeeds {
  const gpus = on.gpusPerNode * on.nodes;
  const gathered = 4 * largestLayer;
  switch (offload) {
    case 'all':
      return { hostPerNode: (parameters * 18 * HOST_BUFFER_FACTOR) / on.nodes, perGpu: gathered };
    case 'optimizer':
      return {
        hostPerNode: (parameters * 16 * HOST_BUFFER_FACTOR) / on.nodes,
        perGpu: gathered + Math.trunc((2 * parameters) / gpus),
      };
    case 'none':
      return {
        hostPerNode: largestLayer * 4 * on.gpusPerNode * HOST_BUFFER_FACTOR,
        perGpu: gathered + Math.trunc((18 * parameters) / gpus),
      };
  }
}
