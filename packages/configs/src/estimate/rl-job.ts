import type { ModelShape } from './model-shape.ts';
import type { Engine } from './rollout-cache.ts';
import type { TrainingJob } from './training-job.ts';

/** What of a model moves to the host while others work. */
export type Between = { weights: boolean; optimizer: boolean };

/** A reinforcement learning job: without a critic (GRPO, DAPO), or with one (PPO). */
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
  between: Between;
  /** A model that values each token, trained on the same GPUs after the policy, or before */
  critic?: { job: TrainingJob; between: Between };
  /**
   * The frozen policy that the KL term compares with; it is sharded like the actor. `streamed`: offloaded for good,
   * and a layer at a time comes to the GPU
   */
  reference:
    | { kind: 'none' }
    | { kind: 'sharded'; bytesPerParameter: 2 | 4; offloaded: boolean; streamed?: boolean };
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
