import type { Job, Plan } from '@her/configs';
import type { Entry, EntryBody, Ledger } from '@her/ledger';
import type { Target } from '../targets/target.ts';
import type { Capacity } from './capacity.ts';
import type { RetryPolicy } from './decide.ts';
import type { Observer } from './observer.ts';
import { type AttemptState, fold, jobState, type StudyState } from './state.ts';

/** All that the loop works with. One of these per `her run`. */
export type World = {
  plan: Plan;
  ledger: Ledger;
  state: StudyState;
  target: Target;
  capacity: Capacity;
  /** Values of the study's secrets, asked for when an attempt is started. */
  secrets: () => Promise<Record<string, string>>;
  /** What the agents of a gang know each other by. */
  gangKey: (attempt: string, token: string) => Promise<string>;
  policy: RetryPolicy;
  /** Set by `her stop`: attach to what runs, start nothing, and let go once this holds. */
  until: (() => boolean) | null;
  observer: Observer;
  /** Told of every entry once it is recorded. */
  recorded?: (entry: Entry) => void;
  /** Brings a checkpoint that its node has lost back from where it was stored; false where it is stored nowhere. */
  restore?: (point: { attempt: string; path: string }, node: string, signal: AbortSignal) => Promise<boolean>;
  /** Absolute path of a path that the study wrote. */
  locate: (path: string) => string;
  /** Aborts on Ctrl-C: the loop lets go, trainers go on. */
  signal: AbortSignal;
};

/** Records entries, and folds them once they are on disk: the state never knows more than the ledger. */
export async function record(world: World, bodies: readonly EntryBody[]): Promise<Entry[]> {
  if (bodies.length === 0) return [];
  const entries = await world.ledger.append(bodies);
  for (const entry of entries) {
    fold(world.state, entry);
    world.recorded?.(entry);
  }
  return entries;
}

export function attemptIn(world: World, job: Job, id: string): AttemptState {
  const found = jobState(world.state, job.id).attempts.find((attempt) => attempt.id === id);
  if (found === undefined) throw new TypeError(`the ledger has no attempt ${id}`);
  return found;
}
