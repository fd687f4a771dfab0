import { createHash } from 'node:crypto';
import type { Job, Plan } from '@her/configs';
import { type RetryPolicy, standing } from '../reconcile/decide.ts';
import type { Outcome } from '../reconcile/loop.ts';
import { type AttemptState, latestAttempt, type StudyState, succeeded } from '../reconcile/state.ts';
import { duration } from '../views/words.ts';
import type { Notice } from './notice.ts';

export type Scene = { plan: Plan; state: StudyState; policy: RetryPolicy };

/** What the end of an attempt is worth telling; null where it did its work, was stopped, or is tried again. */
export function newsOfEnd({ plan, state, policy }: Scene, job: Job, attempt: AttemptState): Notice | null {
  const { ended } = attempt;
  if (ended === null || succeeded(attempt) || ended.class === 'stopped') return null;
  const now = standing(plan, state, job, policy);
  const final = now.is === 'failed';
  const hang = ended.reason === 'hang';
  if (!final && !hang) return null;
  const cause = ended.cause ?? ended.reason;
  return {
    key: `ended ${attempt.id}`,
    of: hang ? (final ? ['failure', 'stall'] : ['stall']) : ['failure'],
    study: plan.study,
    job: { id: job.id, name: job.name },
    attempt: attempt.id,
    headline: final ? `${job.name} failed: ${now.why}` : `${job.name} hung and is tried again: ${cause}`,
    next: [ended.remedy ?? '', `her logs ${job.name} --study ${plan.study}`].filter(Boolean).join(' '),
  };
}

/** The ends that a former run may not have told: it was killed between the end and the telling. */
export function newsUntold(scene: Scene): Notice[] {
  return scene.plan.jobs.flatMap((job) => {
    const attempt = latestAttempt(scene.state.jobs.get(job.id));
    const news = attempt === undefined ? null : newsOfEnd(scene, job, attempt);
    return news === null ? [] : [news];
  });
}

/** A node that has not been reached for as long as the job may be silent. */
export function newsOfSilence(
  { plan }: Scene,
  job: Job,
  attempt: AttemptState,
  since: Date,
  why: string,
  now: number,
): Notice | null {
  const silent = now - since.getTime();
  if (silent < job.limits.silence * 1000) return null;
  return {
    key: `silent ${attempt.id} ${since.toISOString()}`,
    of: ['stall'],
    study: plan.study,
    job: { id: job.id, name: job.name },
    attempt: attempt.id,
    headline: `${job.name}: nothing heard for ${duration(silent)}, unknown since ${since.toISOString()}: ${why}`,
    next: `It may well be running. her status --study ${plan.study}`,
  };
}

/** The end of the whole study; null where something of it may still go on. */
export function newsOfStudy({ plan, state }: Scene, outcome: Outcome): Notice | null {
  const words = outcome.map(({ standing: { is } }) => is);
  if (words.some((is) => is === 'live' || is === 'ready' || is === 'waiting')) return null;
  const counts = [...new Set(words)].map((word) => `${words.filter((is) => is === word).length} ${word}`);
  const done = words.every((is) => is === 'done');
  // After another attempt it is another end.
  const attempts = outcome.map(({ job, standing: { is } }) => [
    is,
    latestAttempt(state.jobs.get(job.id))?.id ?? job.id,
  ]);
  return {
    key: `study ${createHash('sha256').update(JSON.stringify(attempts)).digest('hex')}`,
    of: ['end'],
    study: plan.study,
    job: null,
    attempt: null,
    headline: done ? `all done: ${words.length} jobs` : `ended: ${counts.join(', ')}`,
    next: `her status --study ${plan.study}`,
  };
}
