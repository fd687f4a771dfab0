import type { HerErrorCode } from '../errors.ts';

export type Status = 'ok' | 'warn' | 'fail' | 'unknown';

/** What one check found on one node, or on this side. */
export type Finding = {
  check: string;
  /** Null: about the study, or this machine. */
  node: string | null;
  status: Status;
  /** In one line: what is the case. */
  what: string;
  /** What stands in the table instead of the status. */
  cell?: string;
  /** Why that matters, where it is not plain. */
  why?: string;
  /** What to do; of a failure always said. */
  remedy?: string;
  /** Of an error that says the same elsewhere. */
  code?: HerErrorCode;
};

/** A finding without its place. */
export type Found = Omit<Finding, 'check' | 'node'>;

export const ok = (what: string): Found => ({ status: 'ok', what });
export const warn = (what: string, remedy: string, why?: string): Found => ({
  status: 'warn',
  what,
  remedy,
  ...(why === undefined ? {} : { why }),
});
export const fail = (what: string, remedy: string, why?: string): Found => ({
  ...warn(what, remedy, why),
  status: 'fail',
});
export const unknown = (what: string, remedy?: string): Found => ({
  status: 'unknown',
  what,
  ...(remedy === undefined ? {} : { remedy }),
});

const order: readonly Status[] = ['ok', 'warn', 'unknown', 'fail'];

/** The gravest of several. */
export function worst(statuses: readonly Status[]): Status {
  return statuses.reduce((one, other) => (order.indexOf(other) > order.indexOf(one) ? other : one), 'ok');
}
