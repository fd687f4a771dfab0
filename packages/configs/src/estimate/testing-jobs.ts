import { KNOWN_SHAPES } from './known-shapes.ts';
import type { RlJob } from './rl-job.ts';
import type { Sharding, TrainingJob } from './training-job.ts';
import { estimateTrainingMemory } from './training-memory.ts';
import { type Judgement, judge, type Machine, trainingNeeds } from './verdict.ts';

/** Full fine-tuning of Qwen2.5-32B with ZeRO-3 on one node of eight; a test changes what it is about. */
export function trainingJob(changes: Partial<TrainingJob> = {}): TrainingJob {
  return {
    shape: KNOWN_SHAPES['qwen2.5-32b'],
    gpus: 8,
    gpusPerNode: 8,
    sharding: { kind: 'zero3' },
    offload: 'none',
    precision: 'bf16-mixed',
    tuning: { kind: 'full' },
    microBatch: 1,
    sequenceLength: 8192,
    checkpointing: true,
    fusedLoss: true,
    ...changes,
  };
}

/** GRPO on Qwen2.5-32B with FSDP, everything moved between phases; a test changes what it is about. */
export function rlJob(changes: Partial<RlJob> = {}, actor: Partial<TrainingJob> = {}): RlJob {
  return {
    actor: trainingJob({ sharding: { kind: 'fsdp' }, fusedLoss: false, sequenceLength: 4096, ...actor }),
    between: { weights: true, optimizer: true },
    reference: { kind: 'none' },
    rollout: { placement: 'colocated', tp: 4, utilisation: 0.6, gpus: actor.gpus ?? 8, sleeps: true },
    prompt: 1024,
    reply: 3072,
    ...changes,
  };
}

/** Megatron with tensor parallelism `tp` and everything that saves memory. */
export function megatron(tp: number, more: { pp?: number; ep?: number } = {}): Sharding {
  return { kind: 'megatron', tp, sequenceParallel: true, distributedOptimizer: true, ...more };
}

/** The judgement on a training job. */
export function judgeTraining(job: TrainingJob, machine: Machine): Judgement {
  return judge(trainingNeeds(estimateTrainingMemory(job), machine));
}
