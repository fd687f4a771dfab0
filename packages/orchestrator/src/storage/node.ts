/**
 * A verb of the agent in conversation: lines to its standard input, lines from its standard output, until it ends.
 * Standard input closes when `lines` end or `signal` aborts, which ends the verb.
 * Throws `HerError`: `AGENT_FAILED` for its refusal, `AGENT_UNREACHABLE` where it ended without one.
 */
export type Converse = (
  argv: readonly string[],
  lines: AsyncIterable<string>,
  signal: AbortSignal,
) => AsyncIterable<string>;

/** What storing and fetching need of a node. `argv` begins with the agent's verb. */
export type StorageNode = {
  readonly name: string;
  /** The folder on the node that the agent works below. */
  readonly root: string;
  readonly converse: Converse;
  /** The bytes that a verb writes. */
  bytes(argv: readonly string[], signal: AbortSignal): AsyncIterable<Uint8Array>;
};
