import { CARDS, type CardName } from './cards.ts';
import {
  addRanges,
  type Compute,
  flopsOf,
  hoursFor,
  PASSES,
  type Range,
  RL_UTILISATION,
  scale,
  utilisationFor,
} from './compute.ts';
import { BANDWIDTH_UTILISATION, generationHours } from './generation-time.ts';
import type { ModelShape } from './model-shape.ts';

/** An engine's GPUs for timing: `concurrent` conversations at once in a replica of `tp` GPUs. */
export type EngineTiming = { tp: number; replicas: number; concurrent: number };

/** A reinforcement learning job, as far as its time depends on it. */
export type RlComputeJob = {
  shape: ModelShape;
  steps: number;
  /** Prompts in a step, and replies to each */
  prompts: number;
  replies: number;
  meanPrompt: number;
  meanReply: number;
  longestReply: number;
  /** Passes of the update over the replies of a step. Default 1 */
  updateEpochs?: number;
  recompute: boolean;
  /** A pass of the policy before its update, and one of the frozen policy */
  oldLogProb: boolean;
  reference: boolean;
  /** A reward model that reads each reply, `callsPerReply` times (2 when both orders are judged), and answers */
  reward?: EngineTiming & {
    shape: ModelShape;
    callsPerReply: number;
    meanPrompt: number;
    meanReply: number;
    longestReply: number;
    /** GPUs of its own; 0 when it shares the actor's */
    gpus: number;
  };
  rollout: EngineTiming;
  gpus: number;
  card: CardName;
};

/** The time of an RL job, phase by phase. One phase after another: what overlaps is not taken off. */
export type RlCompute = Compute & { phases: { name: string; hours: Range }[] };

/** Estimates the phases of all steps. `flops` are those of the policy's passes; decoding is bound by memory. */
export function estimateRlCompute(job: RlComputeJob): RlCompute {
  const card = CARDS[job.card];
  const rows = job.prompts * job.replies;
  const length = job.meanPrompt + job.meanReply;
  const tokens = job.steps * rows * length;
  const utilisation = utilisationFor(job.shape, RL_UTILISATION);
  const train = (job.updateEpochs ?? 1) * (job.recompute ? PASSES.trainRecomputed : PASSES.train);
  const passes = [
    { name: 'old log-probabilities', passes: job.oldLogProb ? PASSES.forward : 0 },
    { name: 'reference', passes: job.reference ? PASSES.forward : 0 },
    { name: 'update', passes: train },
  ].map((one) => ({ name: one.name, flops: flopsOf(job.shape, tokens, length, one.passes) }));
  const write = generationHours({ ...job, ...job.rollout, conversations: rows, card });
  const phases = [
    { name: 'generation', hours: scale(write, job.steps) },
    ...rewardPhase(job, rows),
    ...passes.map(({ name, flops }) => ({ name, hours: hoursFor(flops, job.gpus, card, utilisation) })),
  ];
  const hours = addRanges(phases.map((phase) => phase.hours));
  return {
    tokens,
    flops: passes.reduce((sum, one) => sum + one.flops, 0),
    hours,
    gpuHours: scale(hours, job.gpus + (job.reward?.gpus ?? 0)),
    assumptions: [utilisation, BANDWIDTH_UTILISATION],
    phases,
  };
}

function rewardPhase(job: RlComputeJob, rows: number): { name: string; hours: Range }[] {
  const { reward } = job;
  if (!reward) return [];
  const hours = generationHours({
    ...reward,
    conversations: rows * reward.callsPerReply,
    card: CARDS[job.card],
  });
  return [{ name: 'reward model', hours: scale(hours, job.steps) }];
}
