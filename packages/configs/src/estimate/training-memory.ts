import { gatheredWeights, keptActivations, layerWorkingSet, logits, wholeGradient } from './activations.ts';
import { dequantised } from './frozen-weights.ts';
import { hostTerms } from './host-memory.ts';
import { countParameters } from './model-shape.ts';
import { sharesOf } from './model-states.ts';
import { gradientsStay, stateTerms, stepCopy } from './state-terms.ts';
import { type Moment, moment, peakOf, sumOf, type Term, term } from './term.ts';
import type { TrainingJob } from './training-job.ts';
import { GIB } from './units.ts';

/** What a training job needs: on its fullest GPU at each moment, and on each host. Bytes. */
export type TrainingMemory = {
  moments: [Moment, ...Moment[]];
  /** The moment that needs most; its terms add up to its total */
  peak: Moment;
  hostPerNode: { terms: Term[]; total: number };
};

/** CUDA context, NCCL's buffers, cuBLAS workspaces: what no tensor accounts for. An assumption, GPU by GPU. */
export const CONTEXT_BYTES = 3 * GIB;

/** DeepSpeed's default reduce_bucket_size, in numbers. */
const REDUCE_BUCKET = 5e8;

/**
 * Memory of a training job, before anything is started. The moments:
 * - `start`: the whole model on each GPU, where it is built before it is sharded;
 * - `loss`: everything kept for the backward pass, and the logits;
 * - `backward`: the same without the logits, while the last layer is computed again;
 * - `backward end`: all gradients are there, the kept activations are gone;
 * - `step`: the optimizer's temporary copies.
 */
export function estimateTrainingMemory(job: TrainingJob): TrainingMemory {
  const moments = trainingMoments(job);
  const host = hostTerms(job);
  return { moments, peak: peakOf(moments), hostPerNode: { terms: host, total: sumOf(host) } };
}

/** The moments of a training job on its fullest GPU; `beside` is held by others all the while. */
export function trainingMoments(job: TrainingJob, beside: readonly Term[] = []): [Moment, ...Moment[]] {
  const { weights, gradients, optimizer } = stateTerms(job);
  const unpacked = term('dequantised', dequantised(job), 'the largest matrix in 16 bits while it multiplies');
  const buffers = [...bufferTerms(job), unpacked];
  const kept = term('activations', keptActivations(job), keptWhy(job));
  const work = term('recompute', layerWorkingSet(job), 'one layer computed again, and its gradients');
  const loss = logits(job);
  const early = gradientsStay(job) ? gradients : [];
  const at = (name: string, terms: readonly Term[]): Moment =>
    withOverhead(job, name, [...weights, ...optimizer, ...terms, ...beside]);
  const moments: [Moment, ...Moment[]] = [
    at('loss', [...early, kept, term('logits', loss.bytes, loss.why), ...buffers]),
    at('backward', [...early, kept, work, ...buffers]),
    at('backward end', [...gradients, work, ...buffers]),
    at('step', [...gradients, stepCopy(job)]),
  ];
  if (job.wholeModelAtStart) {
    const whole = countParameters(job.shape).total * (job.precision === 'fp32' ? 4 : 2);
    const build = term('whole model', whole, 'built on each GPU before it is sharded');
    moments.unshift(withOverhead(job, 'start', [build, ...beside]));
  }
  return moments;
}

/**
 * Terms with what the allocator loses and the context. The loss is an assumption: 5 % with expandable segments,
 * 10 % without. (On eight models GMLake, arXiv 2401.08156, won 15 % back on average by another way of allocating.)
 */
export function withOverhead(job: TrainingJob, name: string, terms: readonly Term[]): Moment {
  const rate = job.expandableSegments ? 0.05 : 0.1;
  const lost = term('fragmentation', rate * sumOf(terms), `${rate * 100} % of the above, assumed`);
  return moment(name, [...terms, lost, term('context', CONTEXT_BYTES, 'CUDA, NCCL, workspaces: assumed')]);
}

/** Weights and gradients that are whole for a moment, where they are otherwise split. */
function bufferTerms(job: TrainingJob): Term[] {
  switch (job.sharding.kind) {
    case 'zero3':
    case 'fsdp':
    case 'fsdp2':
      return [
        term('gathered weights', gatheredWeights(job), 'two layers and the embeddings, whole'),
        term(
          'whole gradient',
          job.tuning.kind === 'full' ? wholeGradient(job) : 0,
          'the largest, before it is split',
        ),
      ];
    case 'zero1':
    case 'zero2':
      return [
        term('reduce bucket', 2 * Math.min(REDUCE_BUCKET, sharesOf(job).weights), 'reduce_bucket_size'),
      ];
    case 'ddp':
    case 'megatron':
      return [];
  }
}

const keptWhy = (job: TrainingJob): string =>
  job.checkpointing ? "each layer's input; the rest is computed again" : 'all that each layer keeps';
