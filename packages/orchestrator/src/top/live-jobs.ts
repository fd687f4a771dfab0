import type { Plan } from '@her/configs';
import { readBatches } from '@her/ledger';
import { type AttemptState, fold, latestAttempt, type StudyState } from '../reconcile/state.ts';
import { timeLeft } from '../views/words.ts';

export type LiveJob = {
  job: { id: string; name: string };
  attempt: string;
  nodes: string[];
  step: number | null;
  maxSteps: number | null;
  /** Seconds, by the mean of this attempt. */
  secondsPerStep: number | null;
  secondsLeft: number | null;
  /** Since when nobody has heard of a node of it, by the record. */
  unknownSince: string | null;
};

/** The jobs that run by the record, whose last news may be old where no `her run` is attached. */
export function liveJobs(plan: Plan, state: StudyState, now: number): LiveJob[] {
  return plan.jobs.flatMap((job) => {
    const attempt = latestAttempt(state.jobs.get(job.id));
    if (attempt === undefined || attempt.ended !== null) return [];
    const left = timeLeft(attempt, now);
    return [
      {
        job: { id: job.id, name: job.name },
        attempt: attempt.id,
        nodes: attempt.nodes,
        step: attempt.lastStep,
        maxSteps: attempt.maxSteps,
        secondsPerStep: paceOf(attempt),
        secondsLeft: left === undefined ? null : Math.round(left / 1000),
        unknownSince: [...attempt.unknownSince.values()].sort()[0] ?? null,
      },
    ];
  });
}

/** Adds to the state what was recorded since. */
export async function catchUp(ledger: string, state: StudyState): Promise<void> {
  for await (const batch of readBatches(ledger, { from: state.size }))
    for (const entry of batch) fold(state, entry);
}

function paceOf({ stepTimes }: AttemptState): number | null {
  if (stepTimes === null) return null;
  const steps = stepTimes.last.step - stepTimes.first.step;
  const seconds = (Date.parse(stepTimes.last.time) - Date.parse(stepTimes.first.time)) / 1000;
  return steps > 0 ? seconds / steps : null;
}
