/**
 * One part of an estimate, in bytes, not rounded.
 * `why` says in one line what it is made of, so that a table of terms explains itself.
 */
export type Term = { name: string; bytes: number; why: string };

/**
 * A moment of a job at which memory is held, and what holds it. A job needs the largest of its moments,
 * not the sum of everything it ever holds: the logits are gone before the optimizer steps.
 */
export type Moment = { name: string; terms: Term[]; total: number };

/** A term, without the noise of an object literal. */
export function term(name: string, bytes: number, why: string): Term {
  return { name, bytes, why };
}

/** Bytes of all terms. */
export function sumOf(terms: readonly Term[]): number {
  return terms.reduce((sum, one) => sum + one.bytes, 0);
}

/** A moment with its total; terms of zero bytes are left out. */
export function moment(name: string, terms: readonly Term[]): Moment {
  const held = terms.filter((one) => one.bytes > 0);
  return { name, terms: held, total: sumOf(held) };
}

/** The moment that needs most. Of equals the first. */
export function peakOf(moments: readonly [Moment, ...Moment[]]): Moment {
  return moments.reduce((worst, one) => (one.total > worst.total ? one : worst));
}
