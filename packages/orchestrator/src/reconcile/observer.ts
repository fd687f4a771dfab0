import type { Job } from '@her/configs';
import type { AttemptState } from './state.ts';

/** What the loop tells whoever watches. Nothing here changes what it does. */
export type Observer = {
  started(job: Job, attempt: AttemptState, how: 'started' | 'attached'): void;
  progressed(job: Job, attempt: AttemptState): void;
  ended(job: Job, attempt: AttemptState): void;
  note(job: Job | null, text: string): void;
  /** What an attempt waits for in a scheduler's queue; null once it does not. */
  waiting?(job: Job, words: string | null): void;
  unknown(job: Job, since: Date, why: string): void;
  known(job: Job): void;
};
