/** Holds things back for a while, in order. It knows no clock: every call is told the time. */
export class DelayLine<T> {
  #held: { due: number; item: T }[] = [];
  #latest = 0;

  push(item: T, now: number, delayMs: number): void {
    // A shorter delay set later must not let bytes overtake each other.
    this.#latest = Math.max(this.#latest, now + delayMs);
    this.#held.push({ due: this.#latest, item });
  }

  /** What is to go on by now. */
  take(now: number): T[] {
    const waiting = this.#held.findIndex(({ due }) => due > now);
    const ready = waiting < 0 ? this.#held : this.#held.slice(0, waiting);
    this.#held = waiting < 0 ? [] : this.#held.slice(waiting);
    return ready.map(({ item }) => item);
  }

  /** When something is next to go on. */
  get next(): number | null {
    return this.#held[0]?.due ?? null;
  }
}
