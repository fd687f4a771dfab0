import type { Plan } from '@her/configs';
import { oneLine } from '../views/words.ts';

export type NoticeKind = Plan['notify'][number]['on'][number];

/** Something that a person wants to hear of. */
export type Notice = {
  /** The same for the same news, also after a restart. */
  key: string;
  of: readonly [NoticeKind, ...NoticeKind[]];
  study: string;
  job: { id: string; name: string } | null;
  attempt: string | null;
  /** One sentence. */
  headline: string;
  /** What to do, or to look at. */
  next: string;
};

/** What a receiver gets, as JSON. `text` is what Slack and those that speak like it show. */
export type Message = {
  text: string;
  event: NoticeKind;
  study: string;
  job: string | null;
  attempt: string | null;
  headline: string;
  next: string;
  time: string;
  id: string;
};

/** A cause may hold what a trainer said; nobody reads more than this of it. */
const most = 1_000;

export function messageOf(notice: Notice, event: NoticeKind, id: string, time: Date): Message {
  const headline = cut(oneLine(notice.headline));
  const next = cut(oneLine(notice.next));
  return {
    text: slackText(`${notice.study}: ${headline}\n→ ${next}`),
    event,
    study: notice.study,
    job: notice.job?.name ?? null,
    attempt: notice.attempt,
    headline,
    next,
    time: time.toISOString(),
    id,
  };
}

function cut(text: string): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** These three begin mentions and links there, which nothing that a trainer said may do. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
