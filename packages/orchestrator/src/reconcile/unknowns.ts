import type { Job } from '@her/configs';
import { HerError } from '../errors.ts';
import { pause } from './pause.ts';
import type { World } from './world.ts';

/** Milliseconds. */
const backoff = { first: 1_000, most: 60_000 };

/** Since when the nodes of an attempt have not been reached. Not to reach one says nothing about the attempt. */
export class Unknowns {
  readonly #world: World;
  readonly #job: Job;
  readonly #since = new Map<string, Date>();
  readonly #waits = new Map<string, number>();

  constructor(world: World, job: Job) {
    this.#world = world;
    this.#job = job;
  }

  /**
   * Does something that needs a node, again and again while the node cannot be reached, less and less often. `reached`
   * may be called meanwhile, as soon as the node has answered.
   */
  async untilReached(node: string, act: (reached: () => void) => Promise<void>): Promise<void> {
    const { signal, observer } = this.#world;
    while (!signal.aborted) {
      try {
        await act(() => this.#reached(node));
        this.#reached(node);
        return;
      } catch (error) {
        if (!(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
        if (signal.aborted) return;
        const since = this.#since.get(node) ?? new Date();
        this.#since.set(node, since);
        observer.unknown(this.#job, this.#earliest(), error.message);
        const wait = this.#waits.get(node) ?? backoff.first;
        await pause(wait * (0.75 + Math.random() / 2), signal);
        this.#waits.set(node, Math.min(wait * 2, backoff.most));
      }
    }
  }

  #reached(node: string): void {
    this.#waits.delete(node);
    if (this.#since.delete(node) && this.#since.size === 0) this.#world.observer.known(this.#job);
  }

  #earliest(): Date {
    return new Date(Math.min(...[...this.#since.values()].map((since) => since.getTime())));
  }
}
