import { frozenBytes } from './frozen-weights.ts';
import { countParameters } from './model-shape.ts';
import { sharesOf, stateBytes } from './model-states.ts';
import { type Term, term } from './term.ts';
import type { TrainingJob } from './training-job.ts';

/** DeepSpeed's default sub_group_size: parameters that its ZeRO-3 optimizer steps at once. */
const SUB_GROUP = 1e9;

/** Weights, gradients and optimizer states that lie on one GPU all through a job. */
export function stateTerms(job: TrainingJob): { weights: Term[]; gradients: Term[]; optimizer: Term[] } {
  const bytes = stateBytes(job);
  const shares = sharesOf(job);
  const how = `${job.sharding.kind} on ${job.gpus}`;
  const states = (name: string, each: number, count: number): Term =>
    term(name, each * count, `${Number(each.toFixed(3))} bytes × ${Math.round(count)} parameters (${how})`);
  const onGpu = job.offload !== 'all';
  const here = job.offload === 'none';
  // Megatron's hybrid optimizer copies the gradients to the host for the step; their buffer stays.
  const gradientsHere = here || (job.sharding.kind === 'megatron' && onGpu);
  const weights = [
    states('frozen weights', frozenBytes(job), shares.frozen),
    states('weights', bytes.weights, shares.weights),
    term('reference', besideBytes(job), 'the frozen model that the loss compares with'),
  ];
  return {
    weights: onGpu ? weights : [],
    gradients: gradientsHere ? [states('gradients', bytes.gradients, shares.gradients)] : [],
    optimizer: here ? [states('optimizer', bytes.optimizer, shares.optimizer)] : [],
  };
}

/** Bytes on one GPU of the frozen copy beside the model. ZeRO-1 and 2 do not split it (trl, `prepare_deepspeed`). */
export function besideBytes(job: TrainingJob): number {
  if (job.reference === undefined) return 0;
  const { weights, frozen } = sharesOf(job);
  return job.reference.bytesPerParameter * Math.min(countParameters(job.shape).total, weights + frozen);
}

/**
 * DeepSpeed and Megatron own a gradient buffer from the start. torch makes gradients as the backward pass reaches
 * them and drops them after the step: with one pass a step none exist while the activations are all there.
 */
export function gradientsStay(job: TrainingJob): boolean {
  const torchOwned = ['ddp', 'fsdp', 'fsdp2'].includes(job.sharding.kind);
  return !torchOwned || (job.accumulation ?? 1) > 1;
}

/**
 * What exists only while the optimizer steps. DeepSpeed flattens a sub-group's gradients (2 bytes) and casts them
 * to 32 bits (4 bytes) (`_prepare_fp32_grad_for_sub_group`, stage3.py); ZeRO-1 and 2 do it for the whole share.
 * torch's AdamW by lists needs about as much again as the parameters (its documentation, `foreach`).
 */
export function stepCopy(job: TrainingJob): Term {
  const shares = sharesOf(job);
  if (job.offload !== 'none') return term('step copy', 0, 'the optimizer steps on the host');
  switch (job.sharding.kind) {
    case 'zero3':
      return term(
        'step copy',
        6 * Math.min(SUB_GROUP, shares.optimizer),
        'gradients of one sub-group in 32 bits',
      );
    case 'zero1':
    case 'zero2':
      return term('step copy', 6 * shares.optimizer, "the share's gradients in 32 bits");
    case 'megatron':
      return term('step copy', 0, 'gradients are in 32 bits already');
    case 'ddp':
    case 'fsdp':
    case 'fsdp2': {
      const copies = job.adam === 'fused' ? 'none' : (job.optimizer?.copies ?? 'all');
      if (copies === 'matrix') {
        const largest = Math.min(countParameters(job.shape).largestLayer, shares.optimizer);
        return term('step copy', 12 * largest, 'one matrix in 32 bits, its square and its update');
      }
      const bytes = copies === 'none' ? 0 : stateBytes(job).weights;
      return term('step copy', bytes * shares.optimizer, 'an optimizer by lists copies what it updates');
    }
  }
}
