import type { Job, Plan } from '@her/configs';
import { HerError } from '../errors.ts';
import { findJob } from '../find-job.ts';
import type { AttemptState, StudyState } from '../reconcile/state.ts';

export type Picked = { job: Job; attempt: AttemptState };

/**
 * The attempt that a person means: by its id, by its job (the latest, or the one with that number), or, where nothing
 * is named, the only one that runs, else the latest that was started.
 */
export function pickAttempt(
  plan: Plan,
  state: StudyState,
  wanted: string | undefined,
  number?: number,
): Picked {
  if (wanted === undefined) return running(plan, state);
  const byId = /^([0-9a-f]{16})-\d+$/.exec(wanted)?.[1];
  const job = byId === undefined ? findJob(plan, wanted) : plan.jobs.find(({ id }) => id === byId);
  const attempts = state.jobs.get(job?.id ?? '')?.attempts ?? [];
  const attempt =
    byId !== undefined
      ? attempts.find(({ id }) => id === wanted)
      : number === undefined
        ? attempts.at(-1)
        : attempts[number - 1];
  if (job === undefined || attempt === undefined) throw noAttempt(job?.name ?? wanted, attempts.length);
  return { job, attempt };
}

function running(plan: Plan, state: StudyState): Picked {
  const all = plan.jobs.flatMap((job) =>
    (state.jobs.get(job.id)?.attempts ?? []).map((attempt) => ({ job, attempt })),
  );
  const live = all.filter(({ attempt }) => attempt.ended === null);
  if (live.length > 1) {
    const names = live.map(({ job }) => job.name).join(', ');
    throw new HerError('JOB_NOT_FOUND', `several jobs run: ${names}`, { hint: 'Name one of them.' });
  }
  const latest = live[0] ?? all.sort((a, b) => (a.attempt.decidedAt < b.attempt.decidedAt ? 1 : -1))[0];
  if (latest === undefined) throw noAttempt(plan.study, 0);
  return latest;
}

function noAttempt(job: string, attempts: number): HerError {
  return attempts === 0
    ? new HerError('JOB_NOT_FOUND', `${job} has not been started`, {
        hint: 'Start it: `her run STUDY`. What it waits for: `her status`.',
      })
    : new HerError('JOB_NOT_FOUND', `${job} has no such attempt; it has ${attempts}`, {
        hint: `Name one from 1 to ${attempts} with --attempt, or leave it out for the latest.`,
      });
}
