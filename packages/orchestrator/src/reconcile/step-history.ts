import type { EntryOf } from '@her/ledger';
import { comparedValues } from './resume-proof.ts';

type Values = EntryOf<'metric'>['values'];

/** What is remembered of a step. */
export type LoggedStep = { step: number; maxSteps: number | null; values: Values };

/** Latest steps that are remembered: a checkpoint of any of them may still be hashed on its node. */
const most = 2048;

/**
 * What the proof of a resume may ask for, and no other value: the steps at and after each checkpoint, step 1, and the
 * latest steps, as the checkpoint's entry comes later than the steps around it. The ledger has all of it.
 */
export class StepHistory {
  readonly #latest = new Map<number, LoggedStep>();
  readonly #kept = new Map<number, LoggedStep>();
  readonly #wanted = new Set([1]);

  /** Adds what an entry tells of a step to what is known of it. */
  add({ step, maxSteps, values }: LoggedStep): LoggedStep {
    const before = this.get(step);
    const logged = { step, maxSteps, values: { ...before?.values, ...compared(values) } };
    if (this.#wanted.has(step)) {
      this.#kept.set(step, logged);
      return logged;
    }
    this.#latest.set(step, logged);
    if (this.#latest.size > most) {
      for (const oldest of this.#latest.keys()) {
        this.#latest.delete(oldest);
        break;
      }
    }
    return logged;
  }

  get(step: number): LoggedStep | undefined {
    return this.#kept.get(step) ?? this.#latest.get(step);
  }

  /** A checkpoint of this step was saved: it and the step that a resume begins with are kept. */
  keepAround(step: number): void {
    for (const wanted of [step, step + 1]) {
      this.#wanted.add(wanted);
      const logged = this.#latest.get(wanted);
      if (logged === undefined) continue;
      this.#latest.delete(wanted);
      this.#kept.set(wanted, logged);
    }
  }
}

function compared(values: Values): Values {
  const kept: Values = {};
  for (const name of comparedValues) {
    const value = values[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
