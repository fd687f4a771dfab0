import type { Job } from '@her/configs';
import { HerError } from '../errors.ts';
import { pause } from './pause.ts';
import type { AttemptState } from './state.ts';
import { record, type World } from './world.ts';

/** Milliseconds. `recorded`: how long a node must be out of reach before the ledger says so. */
const backoff = { first: 1_000, most: 30_000, recorded: 2_000 };

/** Since when the nodes of an attempt have not been reached. Not to reach one says nothing about the attempt. */
export class Unknowns {
  readonly #world: World;
  readonly #job: Job;
  readonly #attempt: AttemptState;
  readonly #since = new Map<string, Date>();
  /** When a node last answered: what it does is unknown since then, whenever that is noticed. */
  readonly #heard = new Map<string, Date>();
  readonly #missedAt = new Map<string, number>();
  readonly #waits = new Map<string, number>();

  constructor(world: World, job: Job, attempt: AttemptState) {
    this.#world = world;
    this.#job = job;
    this.#attempt = attempt;
  }

  /**
   * Does something that needs a node, again and again while the node cannot be reached, less and less often. `reached`
   * may be called meanwhile, as soon as the node has answered.
   */
  async untilReached(node: string, act: (reached: () => Promise<void>) => Promise<void>): Promise<void> {
    const { signal } = this.#world;
    while (!signal.aborted) {
      try {
        await act(() => this.#reached(node));
        await this.#reached(node);
        return;
      } catch (error) {
        if (!(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
        if (signal.aborted) return;
        await this.#missed(node, error.message);
        const wait = this.#waits.get(node) ?? backoff.first;
        await pause(wait * (0.75 + Math.random() / 2), signal);
        this.#waits.set(node, Math.min(wait * 2, backoff.most));
      }
    }
  }

  async #missed(node: string, why: string): Promise<void> {
    const recorded = this.#attempt.unknownSince.get(node);
    const before = recorded === undefined ? new Date() : new Date(recorded);
    const since = this.#since.get(node) ?? this.#heard.get(node) ?? before;
    this.#since.set(node, since);
    const missedAt = this.#missedAt.get(node) ?? Date.now();
    this.#missedAt.set(node, missedAt);
    this.#world.observer.unknown(this.#job, this.#earliest(), why);
    if (Date.now() - missedAt < backoff.recorded || this.#attempt.unknownSince.has(node)) return;
    await record(this.#world, [
      { ...this.#head(node), reached: false, since: since.toISOString(), why: why.slice(0, 2_000) },
    ]);
  }

  async #reached(node: string): Promise<void> {
    this.#waits.delete(node);
    this.#missedAt.delete(node);
    this.#heard.set(node, new Date());
    if (this.#since.delete(node) && this.#since.size === 0) this.#world.observer.known(this.#job);
    const since = this.#attempt.unknownSince.get(node);
    if (since !== undefined) await record(this.#world, [{ ...this.#head(node), reached: true, since }]);
  }

  #head(node: string) {
    const { plan } = this.#world;
    return {
      kind: 'node.reach',
      study: plan.study,
      job: this.#job.id,
      attempt: this.#attempt.id,
      node,
    } as const;
  }

  #earliest(): Date {
    return new Date(Math.min(...[...this.#since.values()].map((since) => since.getTime())));
  }
}
