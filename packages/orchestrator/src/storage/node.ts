/** What storing needs of a node. A node of a target is one. */
export type StorageNode = {
  readonly name: string;
  /**
   * A verb of the agent in conversation: lines to its standard input, lines from its standard output, until it ends.
   * Its input closes when `lines` end or `signal` aborts, which ends the verb.
   * Throws `HerError`: `AGENT_FAILED` for its refusal, `AGENT_UNREACHABLE` where it ended without one.
   */
  converse(verb: string, lines: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<string>;
};
