import type { z } from 'zod';
import type { AgentStatus, StartReply, StartRequest } from '../agent/protocol.ts';
import type { EnvironmentName } from '../environments/lock-file.ts';
import type { Runner, RunOptions } from './runner.ts';

/** What the record keeps of a place: the lock of the environment, the machine. */
export type Fingerprint = { digest: string; facts: Record<string, string | number> };

/**
 * One machine of a target, through the agent there. Every call may be repeated: none of them does a thing twice. A call
 * that cannot reach the node throws `HerError('AGENT_UNREACHABLE')`, which says nothing about the attempt.
 * Attempts are named as on that node: a gang's member k has the folder `ATTEMPT-nK`.
 */
export type Node = {
  readonly name: string;
  /** Where the other nodes of the target reach it; null where nobody else has to. */
  address(): Promise<string | null>;
  readonly runner: Runner;
  /** Absolute path on the node of a path in an attempt's folder. */
  attemptPath(attempt: string, path: string): Promise<string>;
  start(request: StartRequest): Promise<StartReply>;
  status(attempt: string): Promise<AgentStatus>;
  /** Event lines with a number of at least `from`, until the attempt has ended or `signal` aborts. */
  events(attempt: string, from: number, signal: AbortSignal): AsyncIterable<string>;
  /** Bytes of a rank's log, or of a service's by its name, from an offset. */
  log(
    attempt: string,
    of: number | 'ray',
    from: number,
    follow: boolean,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** A verb in conversation: lines to its standard input, lines from its standard output, until it ends. */
  converse(verb: string, lines: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<string>;
  stop(attempt: string, reason: string, graceSeconds: number): Promise<void>;
  /** Ends what an agent that is proven gone left behind, and writes the exit record in its place. */
  reap(attempt: string, graceSeconds: number): Promise<void>;
  /** Judges a checkpoint by itself: its files are to be held against their hashes besides. */
  checkCheckpoint(
    attempt: string,
    path: string,
    format: string,
    worldSize: number,
    signal?: AbortSignal,
  ): Promise<{ whole: boolean; step: number | null; why: string[] }>;
  hash(attempt: string, path: string, signal?: AbortSignal): Promise<{ digest: string }>;
  /** A small file of an attempt's folder. */
  readFile(attempt: string, path: string): Promise<string>;
  /** Any other verb of the agent, with its one JSON reply. */
  ask<T>(verb: string, args: readonly string[], reply: z.ZodType<T>, options?: RunOptions): Promise<T>;
  fingerprint(environment: EnvironmentName): Promise<Fingerprint>;
  /** The same request, as the environment wants its ranks: in an image they are commands of a container. */
  inEnvironment(environment: EnvironmentName, request: StartRequest): Promise<StartRequest>;
  /** The variables that every rank of this node starts from. */
  baseEnv(environment: EnvironmentName): Promise<Record<string, string>>;
};

/** Where something that a job reads is: what an attempt left on a node, or a path of the study. */
export type Held =
  | { kind: 'output'; node: string; attempt: string; path: string; digest: string | null }
  | {
      kind: 'path';
      /** As the study wrote it: on a target of other machines, a path of the nodes. */
      path: string;
      /** The same on this machine. */
      here: string;
      /** SHA-256 in hex that it must have; null where the study does not pin it and nothing could hash it before. */
      digest: string | null;
      via: 'rsync' | null;
    };

/** `planned`: it was hashed for the plan, and is read where it lies. */
export type Brought = { path: string } & (
  | { digest: string; how: 'there' | 'copied' | 'reused' }
  | { digest: string | null; how: 'planned' }
);

export type Along = { say: (line: string) => void; signal: AbortSignal };

/** Where attempts run. Nothing outside `targets/` knows which kind it is. */
export type Target = {
  readonly name: string;
  readonly kind: 'local' | 'ssh' | 'slurm';
  /** In the study's order: a gang takes some of them, the first is its node 0. */
  readonly nodes: readonly Node[];
  /** Whether every node sees every attempt's folder. */
  readonly storage: 'shared' | 'own';
  /** @throws {HerError} `NODE_UNKNOWN` for a name that the target does not have */
  node(name: string): Node;
  /** Makes sure that the nodes have what attempts need; called once before the first start. */
  prepare(
    environments: readonly EnvironmentName[],
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Makes something readable on a node, by copying it only where it must be, and says where it is there.
   * @throws {HerError} `INPUT_MISSING`, `INPUT_CHANGED`: nothing was started
   */
  bring(node: Node, held: Held, along: Along): Promise<Brought>;
  /** Starts one attempt on its nodes: all of them, side by side. A repetition starts what is not started yet. */
  startGang(requests: ReadonlyMap<string, StartRequest>): Promise<Map<string, StartReply>>;
  close(): Promise<void>;
};
