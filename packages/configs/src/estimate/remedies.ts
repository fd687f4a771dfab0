import type { RlJob } from './rl-job.ts';
import { estimateRlMemory } from './rl-memory.ts';
import { rlNeeds } from './rl-needs.ts';
import type { TrainingJob } from './training-job.ts';
import { estimateTrainingMemory } from './training-memory.ts';
import { type Judgement, judge, type Machine, severityOf, trainingNeeds } from './verdict.ts';

/** One setting changed, everything else as it was, estimated again. Bytes of the fullest GPU. */
export type Remedy = {
  knob: string;
  from: string;
  to: string;
  total: number;
  saved: number;
  judgement: Judgement;
};

type Change<J> = { knob: string; from: string; to: string; job: J };

/**
 * Settings that would lower the fullest GPU's need, the best first: by verdict, then by what they save. Each is
 * the job estimated again with that one change. What is trained stays the same, but a shorter row is another
 * study, so it is listed and left to people. LoRA is not offered: it trains something else.
 */
export function trainingRemedies(job: TrainingJob, machine: Machine): Remedy[] {
  const total = (one: TrainingJob): number => estimateTrainingMemory(one).peak.total;
  const verdict = (one: TrainingJob): Judgement => judge(trainingNeeds(estimateTrainingMemory(one), machine));
  return ranked(total(job), trainingChanges(job), total, verdict);
}

/** The same for an RL job: its own settings, and those of its actor's update. */
export function rlRemedies(job: RlJob, machine: Machine): Remedy[] {
  const total = (one: RlJob): number => estimateRlMemory(one, machine.cardGb).peak.total;
  const verdict = (one: RlJob): Judgement => judge(rlNeeds(one, machine));
  const actor = trainingChanges(job.actor).map((change) => ({
    ...change,
    job: { ...job, actor: change.job },
  }));
  return ranked(total(job), [...rlChanges(job), ...actor], total, verdict);
}

function ranked<J>(
  before: number,
  changes: readonly Change<J>[],
  totalOf: (job: J) => number,
  verdictOf: (job: J) => Judgement,
): Remedy[] {
  return changes
    .map(({ knob, from, to, job }) => {
      const total = totalOf(job);
      return { knob, from, to, total, saved: before - total, judgement: verdictOf(job) };
    })
    .filter((remedy) => remedy.saved > 0)
    .sort((a, b) => severityOf(a.judgement.verdict) - severityOf(b.judgement.verdict) || b.saved - a.saved);
}

function trainingChanges(job: TrainingJob): Change<TrainingJob>[] {
  const changes: Change<TrainingJob>[] = [];
  const set = <K extends keyof TrainingJob>(
    knob: K,
    to: NonNullable<TrainingJob[K]>,
    from = job[knob],
  ): void => {
    changes.push({ knob, from: String(from), to: String(to), job: { ...job, [knob]: to } });
  };
  const { sharding } = job;
  set('gpus', 2 * job.gpus);
  if (job.microBatch > 1) set('microBatch', Math.ceil(job.microBatch / 2));
  if (job.sequenceLength > 1) set('sequenceLength', Math.ceil(job.sequenceLength / 2));
  if (!job.checkpointing) set('checkpointing', true);
  if (!job.fusedLoss && job.fusable !== false) set('fusedLoss', true);
  if (job.attention === 'eager') set('attention', 'flash');
  if (!job.expandableSegments) set('expandableSegments', true, false);
  if (job.offload === 'none' && goesToHost(job)) set('offload', 'optimizer');
  if (job.offload !== 'all' && goesToHost(job)) set('offload', 'all');
  if (job.wholeModelAtStart) set('wholeModelAtStart', false);
  if (sharding.kind === 'megatron') return [...changes, ...megatronChanges(job, sharding)];
  if (job.adam !== 'fused' && !sharding.kind.startsWith('zero')) set('adam', 'fused', 'foreach');
  const sequence = job.sequenceParallel ?? 1;
  if (job.gpus % (2 * sequence) === 0) set('sequenceParallel', 2 * sequence, sequence);
  for (const kind of isQuantised(job) ? [] : better(sharding.kind)) {
    changes.push({ knob: 'sharding', from: sharding.kind, to: kind, job: { ...job, sharding: { kind } } });
  }
  return changes;
}

/** What is not modelled is not offered: quantised weights on a host or split, and another optimizer than Adam there. */
const isQuantised = ({ tuning }: TrainingJob): boolean =>
  tuning.kind === 'lora' && tuning.frozen?.kind === 'bnb';

const goesToHost = (job: TrainingJob): boolean =>
  !isQuantised(job) && (job.optimizer === undefined || job.optimizer.name.startsWith('adamw_torch'));

function better(kind: string): ('zero2' | 'zero3' | 'fsdp2')[] {
  if (kind === 'ddp') return ['zero3', 'fsdp2'];
  if (kind === 'zero1') return ['zero2', 'zero3'];
  return kind === 'zero2' ? ['zero3'] : [];
}

function megatronChanges(
  job: TrainingJob,
  sharding: Extract<TrainingJob['sharding'], { kind: 'megatron' }>,
): Change<TrainingJob>[] {
  const { tp, pp = 1, cp = 1 } = sharding;
  const doubled = { tp: { tp: 2 * tp }, pp: { pp: 2 * pp }, cp: { cp: 2 * cp } };
  const changes: Change<TrainingJob>[] = [];
  if (job.gpus % (2 * tp * pp * cp) === 0) {
    for (const [knob, size] of Object.entries(doubled)) {
      const [to] = Object.values(size);
      const from = String(Number(to) / 2);
      changes.push({ knob, from, to: String(to), job: { ...job, sharding: { ...sharding, ...size } } });
    }
  }
  for (const knob of ['sequenceParallel', 'distributedOptimizer'] as const) {
    if (sharding[knob]) continue;
    changes.push({
      knob,
      from: 'false',
      to: 'true',
      job: { ...job, sharding: { ...sharding, [knob]: true } },
    });
  }
  return changes;
}

function rlChanges(job: RlJob): Change<RlJob>[] {
  const { between, reference, rollout, critic } = job;
  const changes: Change<RlJob>[] = [];
  const add = (knob: string, from: unknown, to: unknown, next: RlJob): void => {
    changes.push({ knob, from: String(from), to: String(to), job: next });
  };
  if (!between.weights)
    add('between.weights', false, true, { ...job, between: { ...between, weights: true } });
  if (!between.optimizer)
    add('between.optimizer', false, true, { ...job, between: { ...between, optimizer: true } });
  for (const part of ['weights', 'optimizer'] as const) {
    if (critic === undefined || critic.between[part]) continue;
    const moved = { ...critic, between: { ...critic.between, [part]: true } };
    add(`critic.between.${part}`, false, true, { ...job, critic: moved });
  }
  if (reference.kind === 'sharded') {
    if (!reference.offloaded) {
      add('reference.offloaded', false, true, { ...job, reference: { ...reference, offloaded: true } });
    }
    add('reference', 'sharded', 'none', { ...job, reference: { kind: 'none' } });
  }
  if (rollout.placement !== 'colocated') return changes;
  if (!rollout.sleeps) add('rollout.sleeps', false, true, { ...job, rollout: { ...rollout, sleeps: true } });
  const lower = Math.round((rollout.utilisation - 0.1) * 100) / 100;
  if (lower > 0) {
    add('rollout.utilisation', rollout.utilisation, lower, {
      ...job,
      rollout: { ...rollout, utilisation: lower },
    });
  }
  return changes;
}
