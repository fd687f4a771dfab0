import type { AgentExit } from './agent-answer.ts';

export type RunResult = {
  exitCode?: number | undefined;
  stdout: string;
  stderr: string;
  originalMessage?: string | undefined;
};

export type RunOptions = {
  input?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Seconds; null waits for as long as it takes. */
  timeout?: number | null;
  signal?: AbortSignal;
};

export type Streamed = { chunks: AsyncIterable<Uint8Array>; ended: Promise<AgentExit> };

/**
 * Runs commands on one machine. Every call throws `HerError('AGENT_UNREACHABLE')` where the machine cannot be reached
 * or the connection broke, which says nothing about what runs there.
 */
export type Runner = {
  readonly host: string;
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /**
   * Standard input gets `input` and is closed at its end; without one it stays open until `signal` aborts or the runner
   * closes: the far side takes its closing as the end.
   */
  stream(argv: readonly string[], signal: AbortSignal, input?: AsyncIterable<Uint8Array>): Streamed;
  close(): Promise<void>;
};
