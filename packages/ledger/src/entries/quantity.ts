import { isRepresentable } from '../canonical-json.ts';

/** A number, or the string that stands for one that JSON cannot carry exactly. */
export type Quantity = number | string;

/** Spells a number for the ledger: `NaN`, the infinities and 1e17 become strings that `Number()` reads back. */
export function spellQuantity(value: number): Quantity {
  if (isRepresentable(value)) return value;
  return Number.isFinite(value) ? value.toExponential() : String(value);
}

/** Reads back what `spellQuantity` wrote. */
export function readQuantity(value: Quantity): number {
  return Number(value);
}
