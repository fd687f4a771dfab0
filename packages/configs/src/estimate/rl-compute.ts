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
  trainingFlops,
  utilisationFor,
} from './compute.ts';
import { BANDWIDTH_UTILISATION, generationHours } from './generation-time.ts';
import type { ModelShape } from './model-shape.ts';
import type { Tuning } from './training-job.ts';

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
  tuning?: Tuning;
  /** Tokens of a row as the passes see it, where rows are padded. Default: the mean prompt and reply */
  padded?: number;
  /** A model that values each token: one pass before its update, and its own passes of the update */
  critic?: { shape: ModelShape; recompute: boolean; updateEpochs: number; tuning?: Tuning };
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

/** Estimates the phases of all steps. `flops` are those of the policy's and the critic's passes; decoding is bound by memory. */
export function estimateRlCompute(job: RlComputeJob): RlCompute {
  const card = CARDS[job.card];
  const rows = job.prompts * job.replies;
  const length = job.meanPrompt + job.meanReply;
  const tokens = job.steps * rows * length;
  const each = job.padded ?? length;
  const computed = job.steps * rows * each;
  const utilisation = utilisationFor(job.shape, RL_UTILISATION);
  const { critic } = job;
  const seen = { tokens: computed, meanLength: each };
  const forward = (shape: ModelShape): number => flopsOf(shape, computed, each, PASSES.forward);
  const passes = [
    { name: 'old log-probabilities', flops: job.oldLogProb ? forward(job.shape) : 0 },
    { name: 'reference', flops: job.reference ? forward(job.shape) : 0 },
    { name: 'update', flops: (job.updateEpochs ?? 1) * trainingFlops({ ...job, ...seen }) },
    ...(critic === undefined
      ? []
      : [
          { name: 'values', flops: forward(critic.shape) },
          { name: 'critic update', flops: critic.updateEpochs * trainingFlops({ ...critic, ...seen }) },
        ]),
  ];
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
