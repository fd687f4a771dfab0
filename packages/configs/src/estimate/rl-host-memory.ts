import { frozenBytes } from './frozen-weights.ts';
import { countParameters } from './model-shape.ts';
import { sharesOf, stateBytes } from './model-states.ts';
import type { Between, RlJob } from './rl-job.ts';
import { type Term, term } from './term.ts';
import type { TrainingJob } from './training-job.ts';

/** Bytes of a frozen reference on one GPU of the actor, sharded as the actor's weights are. */
export const referenceBytes = (actor: TrainingJob, bytes: number): number => {
  const shares = sharesOf(actor);
  return bytes * Math.min(countParameters(actor.shape).total, shares.weights + shares.frozen);
};

/** What the host holds between phases: weights and optimizer as torch keeps them, and the reference. */
export function hostBetween({ actor, between, reference, critic }: RlJob): Term[] {
  const kept = reference.kind === 'sharded' && reference.offloaded ? reference.bytesPerParameter : 0;
  const gpus = Math.min(actor.gpus, actor.gpusPerNode);
  return [
    ...restingOnHost(actor, between, ''),
    ...(critic === undefined ? [] : restingOnHost(critic.job, critic.between, 'critic ')),
    term('reference between phases', gpus * referenceBytes(actor, kept), "of the node's GPUs"),
  ].filter((one) => one.bytes > 0);
}

function restingOnHost(actor: TrainingJob, between: Between, whose: string): Term[] {
  if (actor.offload !== 'none') return [];
  const shares = sharesOf(actor);
  const bytes = stateBytes(actor);
  const gpus = Math.min(actor.gpus, actor.gpusPerNode);
  const weights = between.weights ? shares.weights * bytes.weights + shares.frozen * frozenBytes(actor) : 0;
  const optimizer = between.optimizer ? shares.optimizer * bytes.optimizer : 0;
  return [
    term(`${whose}weights between phases`, gpus * weights, "of the node's GPUs"),
    term(`${whose}optimizer between phases`, gpus * optimizer, "of the node's GPUs"),
  ];
}
