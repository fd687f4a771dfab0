/** What kind of thing went wrong, which decides what may be done about it. */
export type FailureClass =
  | 'infrastructure'
  | 'resource'
  | 'configuration'
  | 'data'
  | 'numerics'
  | 'stopped'
  | 'unknown';

/** `retry`: start again, from the newest whole checkpoint; `stop`: a person must look first. */
export type FailurePolicy = 'retry' | 'stop';

export type Failure = { class: FailureClass; cause: string; remedy: string; policy: FailurePolicy };
