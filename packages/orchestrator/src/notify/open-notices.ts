import type { Ledger } from '@her/ledger';
import type { Outcome } from '../reconcile/loop.ts';
import type { Observer } from '../reconcile/observer.ts';
import { fold, latestAttempt } from '../reconcile/state.ts';
import type { Sources } from '../secrets/read-secret.ts';
import { newsOfEnd, newsOfSilence, newsOfStudy, newsUntold, type Scene } from './news.ts';
import { type Notifier, openNotifier, type Told } from './notifier.ts';

export type NoticesOptions = Scene & { ledger: Ledger; sources: Sources; inner: Observer };

export type Notices = {
  observer: Observer;
  /** Tells the end of what the loop did, and waits for all that is still being told. */
  until(outcome: Promise<Outcome>): Promise<Outcome>;
};

/** Tells those whom the study names. What was told is in the ledger: after a restart nothing is told twice. */
export async function openNotices(options: NoticesOptions): Promise<Notices> {
  const { plan, state, ledger, sources, inner } = options;
  if (plan.notify.length === 0) return { observer: inner, until: (outcome) => outcome };
  const remember = async (told: Told): Promise<void> => {
    for (const entry of await ledger.append([entryOf(told)])) fold(state, entry);
  };
  const notifier = openNotifier(plan.notify, { sources, told: new Set(state.told), remember });
  for (const notice of newsUntold(options)) notifier.notify(notice);
  return {
    observer: notifyingObserver(options, notifier, inner),
    until: async (outcome) => {
      try {
        const found = await outcome;
        const notice = sources.signal.aborted ? null : newsOfStudy(options, found);
        if (notice !== null) notifier.notify(notice);
        return found;
      } finally {
        await notifier.settle();
      }
    },
  };
}

/** Passes on all that the loop tells, and tells those outside what they want to hear of. */
export function notifyingObserver(scene: Scene, notifier: Notifier, inner: Observer): Observer {
  return {
    ...inner,
    ended: (job, attempt) => {
      inner.ended(job, attempt);
      const news = newsOfEnd(scene, job, attempt);
      if (news !== null) notifier.notify(news);
    },
    unknown: (job, since, why) => {
      inner.unknown(job, since, why);
      const attempt = latestAttempt(scene.state.jobs.get(job.id));
      if (attempt === undefined) return;
      // As recorded, where it was: a former run may have lost it.
      const [recorded = since.toISOString()] = [...attempt.unknownSince.values()].sort();
      const news = newsOfSilence(scene, job, attempt, new Date(recorded), why, Date.now());
      if (news !== null) notifier.notify(news);
    },
  };
}

function entryOf({ id, to, notice, of, delivered, why }: Told) {
  return {
    kind: 'notice' as const,
    study: notice.study,
    id,
    to,
    of: [...of],
    ...(notice.job === null ? {} : { job: notice.job.id }),
    ...(notice.attempt === null ? {} : { attempt: notice.attempt }),
    delivered,
    ...(why === null ? {} : { why: why.slice(0, 2_000) }),
  };
}
