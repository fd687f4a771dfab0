import type { AgentStatus, StartRequest } from '../agent/protocol.ts';

/**
 * Where attempts run. Nothing outside `targets/` knows which kind it is. Every call may be repeated: none of them
 * does a thing twice. A call that cannot reach the node throws `HerError('AGENT_UNREACHABLE')`, which says nothing
 * about the attempt.
 */
export type Target = {
  readonly name: string;
  readonly node: string;
  /** Absolute path on the node of a path in an attempt's folder. */
  attemptPath(attempt: string, path: string): string;
  start(request: StartRequest): Promise<{
    state: 'started' | 'already';
    pid: number | null;
    bootId: string | null;
    agent: string | null;
  }>;
  status(attempt: string): Promise<AgentStatus>;
  /** Event lines with a number of at least `from`, until the attempt has ended or `signal` aborts. */
  events(attempt: string, from: number, signal: AbortSignal): AsyncIterable<string>;
  /** Bytes of a rank's log from an offset. */
  log(
    attempt: string,
    rank: number,
    from: number,
    follow: boolean,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  stop(attempt: string, reason: string, graceSeconds: number): Promise<void>;
  /** Ends what an agent that is proven gone left behind, and writes the exit record in its place. */
  reap(attempt: string, graceSeconds: number): Promise<void>;
  checkCheckpoint(
    attempt: string,
    path: string,
    format: string,
    worldSize: number,
  ): Promise<{ whole: boolean; step: number | null; why: string[] }>;
  hash(attempt: string, path: string): Promise<{ digest: string }>;
  /** A small file of an attempt's folder. */
  readFile(attempt: string, path: string): Promise<string>;
  /** What the record keeps of the place: the lock of the environment, the machine. */
  fingerprint(
    environment: 'swift' | 'verl',
  ): Promise<{ digest: string; facts: Record<string, string | number> }>;
  /** The variables that every rank of this target starts from. */
  baseEnv(environment: 'swift' | 'verl'): Record<string, string>;
  /** Makes sure that the environments are set up; called once before the first start. */
  prepare(
    environments: readonly ('swift' | 'verl')[],
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void>;
};
