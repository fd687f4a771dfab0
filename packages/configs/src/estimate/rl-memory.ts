import { gatheredWeights, logits } from './activations.ts';
import { usableBytes } from './cards.ts';
import { hostTerms } from './host-memory.ts';
import { hostBetween, referenceBytes } from './rl-host-memory.ts';
import type { Between, RlJob } from './rl-job.ts';
import { engineWeights, type RolloutCache, rolloutCache } from './rollout-cache.ts';
import { stateTerms } from './state-terms.ts';
import { type Moment, moment, peakOf, sumOf, type Term, term } from './term.ts';
import type { TrainingJob } from './training-job.ts';
import { trainingMoments, withOverhead } from './training-memory.ts';
import { GIB } from './units.ts';

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
  const critic = job.critic === undefined ? [] : hostTerms(job.critic.job);
  const terms = [...hostTerms(job.actor), ...critic, ...hostBetween(job)];
  const { reward } = job;
  return {
    moments,
    peak: peakOf(moments),
    hostPerNode: { terms, total: sumOf(terms) },
    cache: rolloutCache(job.actor.shape, job.rollout, cardGb, job.prompt + job.reply),
    rewardCache: reward && rolloutCache(reward.shape, reward, cardGb, reward.longest),
  };
}

function rolloutMoment(job: RlJob, cardGb: number): Moment {
  const share = usableBytes(cardGb);
  const held = withOverhead(job.actor, 'rollout', [
    ...restingTerms(job.actor, job.between),
    ...criticResting(job),
    ...referenceTerms(job, false),
  ]);
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
    ...criticResting(job),
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
  const others = [...referenceTerms(job, false), ...sleepingEngines(job, cardGb)];
  const moments: Moment[] = [
    ...trainingMoments(job.actor, [...others, ...criticResting(job)]),
    ...criticMoments(job, others),
  ];
  if (job.reference.kind === 'none') return moments;
  const { bytes, why } = logits(job.actor);
  const compute = [
    ...restingTerms(job.actor, job.between),
    ...criticResting(job),
    ...referenceTerms(job, true),
    ...sleepingEngines(job, cardGb),
    term('gathered weights', gatheredWeights(job.actor), 'two layers and the embeddings, whole'),
    term('logits', bytes, why),
  ];
  return [...moments, withOverhead(job.actor, 'reference', compute)];
}

/** The critic's update, while what of the policy rests on the GPU is there. */
function criticMoments({ actor, between, critic }: RlJob, others: readonly Term[]): Moment[] {
  if (critic === undefined) return [];
  const beside = restingTerms(actor, between).map((one) => ({ ...one, name: `policy ${one.name}` }));
  const moments = trainingMoments(critic.job, [...others, ...beside]);
  return moments.map((one) => ({ ...one, name: `critic ${one.name}` }));
}

function criticResting({ critic }: RlJob): Term[] {
  if (critic === undefined) return [];
  return restingTerms(critic.job, critic.between).map((one) => ({ ...one, name: `critic ${one.name}` }));
}

/** What of a model stays on the GPU while others work. Gradients only where a buffer is owned for good. */
function restingTerms(job: TrainingJob, between: Between): Term[] {
  const { weights, gradients, optimizer } = stateTerms(job);
  const owned = !['ddp', 'fsdp', 'fsdp2'].includes(job.sharding.kind);
  const states = [...optimizer, ...(owned ? gradients : [])];
  return [...(between.weights ? [] : weights), ...(between.optimizer ? [] : states)];
}

function referenceTerms({ actor, reference }: RlJob, computing: boolean): Term[] {
  if (reference.kind === 'none' || (reference.offloaded && (!computing || reference.streamed))) return [];
  return [
    term('reference', referenceBytes(actor, reference.bytesPerParameter), 'the frozen policy, sharded'),
  ];
}

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
