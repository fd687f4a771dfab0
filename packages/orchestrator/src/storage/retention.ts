import { type CheckpointHistory, type KnownCheckpoint, referenceTo } from './history.ts';
import { newestFirst } from './saved.ts';

/** Fewer are never left, whatever anybody asks for. */
export const leastKept = 2;

/** Whether a checkpoint stays in the store, and why. */
export type Verdict = { checkpoint: KnownCheckpoint; stays: boolean; why: string };

export function isStored({ stored, removed }: KnownCheckpoint): boolean {
  return stored !== null && !removed.store;
}

/**
 * What becomes of each stored checkpoint. Pure. Of a job, over all its attempts, the newest `keep` stay, at least two,
 * beside those that a result or another attempt refers to; one that was set aside is kept too, and counts for none.
 */
export function retention(history: CheckpointHistory, keep: number): Verdict[] {
  return byJob([...history.checkpoints.values()].filter(isStored)).flatMap((ofJob) =>
    judge(history, ofJob, Math.max(leastKept, keep)),
  );
}

/**
 * What is saved and lies in no store yet, the newest first: as much of it as the store would keep. Pure, so that a run
 * after a crash finds the same.
 */
export function unstored(history: CheckpointHistory, keep: number): KnownCheckpoint[] {
  const all = [...history.checkpoints.values()].filter(({ removed }) => !removed.store);
  return byJob(all)
    .flatMap((ofJob) => judge(history, ofJob, Math.max(leastKept, keep)))
    .filter(
      ({ checkpoint, stays }) =>
        stays && checkpoint.stored === null && !checkpoint.removed.node && !checkpoint.setAside,
    )
    .map(({ checkpoint }) => checkpoint)
    .toSorted(newestFirst);
}

function judge(history: CheckpointHistory, ofJob: readonly KnownCheckpoint[], keep: number): Verdict[] {
  // What its node lost before it could be stored is nobody's newest.
  const there = ofJob.filter((one) => isStored(one) || !one.removed.node);
  const newest = new Set(
    there
      .filter(({ setAside }) => !setAside)
      .toSorted(newestFirst)
      .slice(0, keep),
  );
  return there.map((checkpoint) => {
    const why = newest.has(checkpoint)
      ? `one of the newest ${keep}`
      : checkpoint.setAside
        ? 'it was set aside'
        : referenceTo(history, checkpoint);
    return { checkpoint, stays: why !== null, why: why ?? `${keep} newer ones are there` };
  });
}

function byJob(checkpoints: readonly KnownCheckpoint[]): KnownCheckpoint[][] {
  const jobs = new Map<string, KnownCheckpoint[]>();
  for (const one of checkpoints) jobs.set(one.job, [...(jobs.get(one.job) ?? []), one]);
  return [...jobs.values()];
}
