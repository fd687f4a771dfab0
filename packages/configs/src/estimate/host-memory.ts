import { zero2Needs, zero3Needs } from './deepspeed-estimator.ts';
import { frozenBytes } from './frozen-weights.ts';
import { countParameters } from './model-shape.ts';
import { sharesOf, stateBytes } from './model-states.ts';
import { besideBytes } from './state-terms.ts';
import { type Term, term } from './term.ts';
import type { TrainingJob } from './training-job.ts';

/**
 * Memory of each host that offload takes, for full tuning by DeepSpeed's formulas with their buffer factor.
 * Nothing without offload: what loading takes is over before the training starts.
 */
export function hostTerms(job: TrainingJob): Term[] {
  if (job.offload === 'none') return [];
  const gpus = Math.min(job.gpus, job.gpusPerNode);
  const beside = job.offload === 'all' ? gpus * besideBytes(job) : 0;
  return [...offloaded(job), ...(beside === 0 ? [] : [term('offloaded reference', beside, 'its weights')])];
}

function offloaded(job: TrainingJob): Term[] {
  const on = { gpusPerNode: Math.min(job.gpus, job.gpusPerNode), nodes: nodesOf(job) };
  const { total, largestLayer } = countParameters(job.shape);
  const { kind } = job.sharding;
  if (job.offload !== 'none' && job.tuning.kind === 'full' && kind === 'zero3') {
    const { hostPerNode } = zero3Needs(total, largestLayer, job.offload, on);
    const bytes = job.offload === 'all' ? 18 : 16;
    return [
      term('offloaded states', hostPerNode, `${bytes} × 1.5 bytes × parameters over ${on.nodes} nodes`),
    ];
  }
  if (job.tuning.kind === 'full' && (kind === 'zero1' || kind === 'zero2')) {
    const { hostPerNode } = zero2Needs(total, 'optimizer', on);
    return [term('offloaded states', hostPerNode, "DeepSpeed's estimator for ZeRO-2")];
  }
  const shares = sharesOf(job);
  const bytes = stateBytes(job);
  const states = shares.gradients * bytes.gradients + shares.optimizer * bytes.optimizer;
  const weights =
    job.offload === 'all' ? shares.weights * bytes.weights + shares.frozen * frozenBytes(job) : 0;
  return [
    term('offloaded states', on.gpusPerNode * states, "gradients and optimizer states of the node's GPUs"),
    term('offloaded weights', on.gpusPerNode * weights, "weights of the node's GPUs"),
  ];
}

/** Hosts of a job. */
export function nodesOf(job: { gpus: number; gpusPerNode: number }): number {
  return Math.ceil(job.gpus / job.gpusPerNode);
}
