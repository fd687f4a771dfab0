import type { Job, JobId, Plan } from '@her/configs';
import { classify } from '../failures.ts';
import { type Capacity, Room } from './capacity.ts';
import {
  type AttemptState,
  checkpointKey,
  isDone,
  type JobState,
  latestAttempt,
  type StudyState,
  succeeded,
} from './state.ts';

/** A checkpoint that an attempt may go on from, if it proves whole. */
export type ResumePoint = { attempt: string; step: number; path: string; digest: string | null };

/** What is to be done about a job now. Pure: the same plan and state give the same answer. */
export type Step =
  | { do: 'start'; job: Job; attempt: string; nodes: string[]; resumeFrom: ResumePoint[]; why: string }
  | { do: 'attach'; job: Job; attempt: AttemptState }
  | { do: 'give-up'; job: Job; why: string };

/** Where a job stands, for people and for the loop. */
export type JobStanding =
  | { is: 'done' }
  | { is: 'live'; attempt: AttemptState }
  | { is: 'ready'; why: string }
  | { is: 'waiting'; for: string[] }
  | { is: 'blocked'; by: string[] }
  | { is: 'failed'; why: string }
  | { is: 'stopped' };

export type RetryPolicy = { /** Attempts after the first. */ retries: number };

export const defaultPolicy: RetryPolicy = { retries: 2 };

export function standing(plan: Plan, state: StudyState, job: Job, policy: RetryPolicy): JobStanding {
  const known = state.jobs.get(job.id);
  if (isDone(known)) return { is: 'done' };
  const latest = latestAttempt(known);
  if (latest !== undefined && latest.ended === null) return { is: 'live', attempt: latest };
  if (known?.stopped || endedByOrder(known, latest)) return { is: 'stopped' };
  if (known?.gaveUp != null) return { is: 'failed', why: known.gaveUp };
  const verdict = latest === undefined || known === undefined ? null : afterFailure(known, latest, policy);
  if (verdict?.stop) return { is: 'failed', why: verdict.why };
  const needs = job.needs.map((id) => jobOf(plan, id)).filter((need) => !isDone(state.jobs.get(need.id)));
  if (needs.length === 0) return { is: 'ready', why: verdict?.why ?? 'its inputs are ready' };
  const ended = needs.filter((need) =>
    ['failed', 'stopped', 'blocked'].includes(standing(plan, state, need, policy).is),
  );
  if (ended.length > 0) return { is: 'blocked', by: ended.map((need) => need.name) };
  return { is: 'waiting', for: needs.map((need) => need.name) };
}

/**
 * The steps that are possible now, within the target's capacity, in the plan's order. `starting`: the nodes of jobs
 * whose start is being decided, which takes as long as its checkpoint is being proven.
 */
export function decide(
  plan: Plan,
  state: StudyState,
  capacity: Capacity,
  policy: RetryPolicy,
  starting: ReadonlyMap<JobId, readonly string[]> = new Map(),
): Step[] {
  const standings = plan.jobs.map((job) => ({ job, now: standing(plan, state, job, policy) }));
  const room = new Room(capacity);
  const steps: Step[] = [];
  for (const { job, now } of standings) {
    const held = now.is === 'live' ? now.attempt.nodes : starting.get(job.id);
    if (held !== undefined) room.take(job, held);
    if (now.is === 'live') steps.push({ do: 'attach', job, attempt: now.attempt });
  }
  for (const { job, now } of standings) {
    if (now.is === 'failed' && state.jobs.get(job.id)?.gaveUp == null)
      steps.push({ do: 'give-up', job, why: now.why });
    if (now.is !== 'ready' || starting.has(job.id)) continue;
    const nodes = room.placeFor(job, holders(plan, state, job));
    if (nodes === undefined) continue;
    room.take(job, nodes);
    const number = (state.jobs.get(job.id)?.attempts.length ?? 0) + 1;
    steps.push({
      do: 'start',
      job,
      attempt: `${job.id}-${number}`,
      nodes,
      resumeFrom: resumePoints(job, state),
      why: now.why,
    });
  }
  return steps;
}

/** The nodes that hold what a job reads, its own checkpoints before all. */
function holders(plan: Plan, state: StudyState, job: Job): Set<string> {
  const own = state.jobs.get(job.id)?.attempts.findLast(({ checkpoints }) => checkpoints.length > 0);
  if (own !== undefined) return new Set(own.nodes);
  const makers = job.needs.flatMap(
    (id) => state.jobs.get(jobOf(plan, id).id)?.attempts.find(succeeded)?.nodes ?? [],
  );
  return new Set(makers);
}

/** Somebody ended it where it runs, as by `scancel`: it stays so until the stop is lifted. */
function endedByOrder(job: JobState | undefined, latest: AttemptState | undefined): boolean {
  return job !== undefined && latest?.ended?.class === 'stopped' && job.lifted < job.attempts.length;
}

/** Whether a job whose latest attempt failed may be tried again. A stop that was lifted asks for one more try. */
function afterFailure(
  job: JobState,
  latest: AttemptState,
  policy: RetryPolicy,
): { stop: boolean; why: string } {
  const { ended } = latest;
  if (ended === null) return { stop: false, why: '' };
  const failure = classify({
    code: ended.code,
    signal: ended.signal,
    reason: ended.reason,
    tail: '',
    lastStep: ended.lastStep,
  });
  const cause = ended.cause ?? failure.cause;
  if (job.lifted >= job.attempts.length) return { stop: false, why: `asked for after: ${cause}` };
  if ((ended.policy ?? failure.policy) === 'stop') return { stop: true, why: cause };
  const tries = job.attempts.slice(job.lifted).filter((attempt) => !gotFurther(attempt)).length;
  if (tries > policy.retries) {
    return {
      stop: true,
      why: `${cause} (attempt ${job.attempts.length}; ${policy.retries} retries were allowed)`,
    };
  }
  return { stop: false, why: `try again after: ${cause}` };
}

/** Ends that the place makes and not the job. */
const displaced = new Set(['time-limit', 'preempted']);

/** Whether an attempt was only interrupted: a job that outlasts its time limits is not failing. */
function gotFurther({ ended, checkpoints, decidedFrom }: AttemptState): boolean {
  const from = decidedFrom?.step ?? 0;
  return displaced.has(ended?.reason ?? '') && checkpoints.some(({ step }) => step > from);
}

/** Whole checkpoints of earlier attempts, newest step first, without those set aside. */
export function resumePoints(job: Job, state: StudyState): ResumePoint[] {
  if (job.resume === null) return [];
  const attempts = state.jobs.get(job.id)?.attempts ?? [];
  return attempts
    .flatMap((attempt) => attempt.checkpoints.map((checkpoint) => ({ attempt: attempt.id, ...checkpoint })))
    .filter((point) => !state.setAside.has(checkpointKey(point.attempt, point.path)))
    .sort((a, b) => b.step - a.step || attemptNumber(b.attempt) - attemptNumber(a.attempt));
}

function attemptNumber(attempt: string): number {
  return Number(attempt.slice(attempt.lastIndexOf('-') + 1));
}

export function jobOf(plan: Plan, id: JobId): Job {
  const job = plan.jobs.find((candidate) => candidate.id === id);
  if (job === undefined) throw new TypeError(`the plan has no job ${id}`);
  return job;
}
