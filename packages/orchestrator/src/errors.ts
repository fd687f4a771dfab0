/** Exit codes of `her`. Scripts may rely on them; docs/errors.md lists them. */
export const exitCodes = {
  done: 0,
  internal: 1,
  invalid: 2,
  failed: 3,
  stopped: 4,
  setup: 5,
  ledger: 6,
  waiting: 7,
  detached: 130,
} as const;

/** Codes of errors that a person can act on. Each is described in docs/errors.md. */
export type HerErrorCode =
  | 'USAGE'
  | 'STUDY_NOT_FOUND'
  | 'JOB_NOT_FOUND'
  | 'NOTHING_RECORDED'
  | 'ENVIRONMENT_SETUP'
  | 'UV_SETUP'
  | 'DISK_FULL'
  | 'AGENT_FAILED'
  | 'AGENT_UNREACHABLE'
  | 'LEDGER_DAMAGED'
  | 'RUN_IN_PROGRESS';

/** An error with one clear message: what happened, and what to do. */
export class HerError extends Error {
  readonly code: HerErrorCode;
  readonly hint: string | undefined;
  readonly exitCode: number;
  /** The agent's own code, where it was the agent that refused. */
  readonly agentCode: string | undefined;

  constructor(
    code: HerErrorCode,
    message: string,
    more: { hint?: string; exitCode?: number; cause?: unknown; agentCode?: string } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'HerError';
    this.code = code;
    this.hint = more.hint;
    this.exitCode = more.exitCode ?? exitCodes.internal;
    this.agentCode = more.agentCode;
  }
}
