import { gatheredWeights, logits } from './activations.ts';
import { usableBytes } from './cards.ts';
import { hostTerms } from './host-memory.ts';
import { countParameters, type ModelShape } from './model-shape.ts';
import { sharesOf, stateBytes } from './model-states.ts';
import { type Engine, engineNeed, engineWeights, type RolloutCache, rolloutCache } from './rollout-cache.ts';
import { type Moment, moment, peakOf, sumOf, type Term, term } from './term.ts';
import type { TrainingJob } from './training-job.ts';
import { stateTerms, trainingMoments, withOverhead } from './training-memory.ts';
import { GIB } from './units.ts';
import { hostNeeds, type Machine, type Need } from './verdict.ts';

/** A reinforcement learning job with a critic-free algorithm (GRPO, DAPO). */
export type RlJob = {
  /**
   * The policy's update. `microBatch × sequenceLength` are the tokens of one forward pass over `sequenceParallel`
   * GPUs: verl's `ppo_max_token_len_per_gpu × ulysses_sequence_parallel_size`, or a micro-batch of whole replies.
   */
  actor: TrainingJob;
  /**
   * What the policy moves to the host between phases and back for its own (verl's `param_offload` and
   * `optimizer_offload`). While it updates everything is on the GPU.
   */
  between: { weights: boolean; optimizer: boolean };
  /** The frozen policy that the KL term compares with; it is sharded like the actor */
  reference: { kind: 'none' } | { kind: 'sharded'; bytesPerParameter: 2 | 4; offloaded: boolean };
  /** The engine, on the actor's GPUs or on its own. One that sleeps frees its memory during the update */
  rollout: Engine & { placement: 'colocated' | 'separate'; sleeps: boolean };
  /** A reward model behind a server, if one scores the replies */
  reward?: Engine & {
    shape: ModelShape;
    placement: 'colocated' | 'separate';
    sleeps: boolean;
    longest: number;
  };
  /** Tokens of the longest prompt and of the longest reply */
  prompt: number;
  reply: number;
};

/** What an RL job needs on an actor's GPU at each moment and on each host, in bytes, and what the engine can hold. */
export type RlMemory = {
  moments: [Moment, ...Moment[]];
  peak: Moment;
  hostPerNode: { terms: Term[]; total: number };
  cache: RolloutCache;
  rewardCache: RolloutCache | undefined;
};

/** What a sleeping engine still holds: its context, graphs, and what the allocator keeps. 1 to 3 GiB are seen. */
const ENGINE_RESIDUE = 2 * GIB;

/**
 * Memory of an RL job. Beside the moments of an update (see `estimateTrainingMemory`):
 * - `rollout`: what of the actor and the reference is on the GPU, and the engine's whole share of the card;
 * - `weight sync`: the actor's weights meet the engine's, whose cache is not there yet;
 * - `reference`: the reference computes log-probabilities.
 */
export function estimateRlMemory(job: RlJob, cardGb: number): RlMemory {
  const moments: [Moment, ...Moment[]] = [
    rolloutMoment(job, cardGb),
    ...syncMoments(job),
    ...updateMoments(job, cardGb),
  ];
  const terms = [...hostTerms(job.actor), ...hostBetween(job)];
  const { reward } = job;
  return {
    moments,
    peak: peakOf(moments),
    hostPerNode: { terms, total: sumOf(terms) },
    cache: rolloutCache(job.actor.shape, job.rollout, cardGb, job.prompt + job.reply),
    rewardCache: reward && rolloutCache(reward.shape, reward, cardGb, reward.longest),
  };
}

/** The needs of an RL job: the actor's GPUs, the shares of its engines, and its hosts. */
export function rlNeeds(job: RlJob, machine: Machine): [Need, ...Need[]] {
  const memory = estimateRlMemory(job, machine.cardGb);
  const { peak } = memory;
  const capacity = usableBytes(machine.cardGb);
  const gpu: Need = { where: 'gpu', moment: peak.name, terms: peak.terms, needed: peak.total, capacity };
  const engine = engineNeed(
    'rollout engine',
    job.actor.shape,
    job.rollout,
    machine.cardGb,
    job.prompt + job.reply,
  );
  const { reward } = job;
  const server = reward
    ? [engineNeed('reward engine', reward.shape, reward, machine.cardGb, reward.longest)]
    : [];
  return [gpu, engine, ...server, ...hostNeeds(memory.hostPerNode, machine)];
}

function rolloutMoment(job: RlJob, cardGb: number): Moment {
  const share = usableBytes(cardGb);
  const held = withOverhead(job.actor, 'rollout', [...restingTerms(job), ...referenceTerms(job, false)]);
  const engines: Term[] = [];
  if (job.rollout.placement === 'colocated') {
    engines.push(
      term('rollout engine', job.rollout.utilisation * share, `${job.rollout.utilisation} of the card`),
    );
  }
  const { reward } = job;
  if (reward?.placement === 'colocated') {
    engines.push(term('reward engine', reward.utilisation * share, `${reward.utilisation} of the card`));
  }
  return moment('rollout', [...held.terms, ...engines]);
}

function syncMoments(job: RlJob): Moment[] {
  if (job.rollout.placement !== 'colocated') return [];
  const { weights, optimizer } = stateTerms(job.actor);
  const terms = [
    ...weights,
    ...(job.between.optimizer ? [] : optimizer),
    ...referenceTerms(job, false),
    term('gathered weights', gatheredWeights(job.actor), 'two layers and the embeddings, whole'),
    term(
      'engine weights',
      engineWeights(job.actor.shape, job.rollout.tp),
      `2 bytes × parameters over ${job.rollout.tp}`,
    ),
  ];
  return [withOverhead(job.actor, 'weight sync', terms)];
}

function updateMoments(job: RlJob, cardGb: number): Moment[] {
  const beside = [...referenceTerms(job, false), ...sleepingEngines(job, cardGb)];
  const moments: Moment[] = trainingMoments(job.actor, beside);
  if (job.reference.kind === 'none') return moments;
  const { bytes, why } = logits(job.actor);
  const compute = [
    ...restingTerms(job),
    ...referenceTerms(job, true),
    ...sleepingEngines(job, cardGb),
    term('gathered weights', gatheredWeights(job.actor), 'two layers and the embeddings, whole'),
    term('logits', bytes, why),
  ];
  return [...moments, withOverhead(job.actor, 'reference', compute)];
}

/** What of the actor stays on the GPU while others work. Gradients only where a buffer is owned for good. */
function restingTerms(job: RlJob): Term[] {
  const { weights, gradients, optimizer } = stateTerms(job.actor);
  const owned = !['ddp', 'fsdp', 'fsdp2'].includes(job.actor.sharding.kind);
  const states = [...optimizer, ...(owned ? gradients : [])];
  return [...(job.between.weights ? [] : weights), ...(job.between.optimizer ? [] : states)];
}

function referenceTerms({ actor, reference }: RlJob, computing: boolean): Term[] {
  if (reference.kind === 'none' || (reference.offloaded && !computing)) return [];
  return [
    term('reference', referenceBytes(actor, reference.bytesPerParameter), 'the frozen policy, sharded'),
  ];
}

const referenceBytes = (actor: TrainingJob, bytes: number): number => {
  const shares = sharesOf(actor);
  return bytes * Math.min(countParameters(actor.shape).total, shares.weights + shares.frozen);
};

function sleepingEngines({ rollout, reward }: RlJob, cardGb: number): Term[] {
  const engines = [
    { ...rollout, name: 'rollout engine' },
    ...(reward ? [{ ...reward, name: 'reward engine' }] : []),
  ];
  return engines
    .filter((engine) => engine.placement === 'colocated')
    .map((engine) =>
      engine.sleeps
        ? term(`${engine.name} asleep`, ENGINE_RESIDUE, 'what it does not give back: assumed')
        : term(engine.name, engine.utilisation * usableBytes(cardGb), 'it does not sleep'),
    );
}

/** What the host holds between phases: weights and optimizer as torch keeps them, and the reference. */
function hostBetween({ actor, between, reference }: RlJob): Term[] {
  if (actor.offload !== 'none') return [];
  const shares = sharesOf(actor);
  const bytes = stateBytes(actor);
  const gpus = Math.min(actor.gpus, actor.gpusPerNode);
  const weights = between.weights ? shares.weights * bytes.weights + shares.frozen * 2 : 0;
  const optimizer = between.optimizer ? shares.optimizer * bytes.optimizer : 0;
  const kept = reference.kind === 'sharded' && reference.offloaded ? reference.bytesPerParameter : 0;
  return [
    term('weights between phases', gpus * weights, "of the node's GPUs"),
    term('optimizer between phases', gpus * optimizer, "of the node's GPUs"),
    term('reference between phases', gpus * referenceBytes(actor, kept), "of the node's GPUs"),
  ].filter((one) => one.bytes > 0);
}
