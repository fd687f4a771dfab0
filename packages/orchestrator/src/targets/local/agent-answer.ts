import { errorReply } from '../../agent/protocol.ts';
import { HerError } from '../../errors.ts';

/** How a process of the agent ended. */
export type AgentExit = {
  exitCode?: number | undefined;
  stderr?: unknown;
  originalMessage?: string | undefined;
};

/** The agent's refusal, when that is what it said. */
export function refusalIn(said: unknown): HerError | undefined {
  const parsed = errorReply.safeParse(said);
  if (!parsed.success) return undefined;
  const { code, message, hint } = parsed.data.error;
  return new HerError('AGENT_FAILED', `${message} [${code}]`, { hint: hint ?? '', agentCode: code });
}

/** An agent that ended without an answer of its own. */
export function unreachable(verb: string | undefined, exit: AgentExit): HerError {
  const stderr = typeof exit.stderr === 'string' ? exit.stderr : '';
  const said = stderr.trim().split('\n').at(-1) || exit.originalMessage || `exit code ${exit.exitCode}`;
  return new HerError('AGENT_UNREACHABLE', `the agent did not answer \`${verb}\`: ${said}`);
}

/**
 * What a verb streams. A chunk that may be the agent's refusal is held back until it is known whether the agent ended
 * with it, so that it is never taken for what was asked for.
 * @throws {HerError} `AGENT_FAILED` or `AGENT_UNREACHABLE`, when the agent failed and nobody aborted it
 */
export async function* streamed<T extends string | Uint8Array>(
  chunks: AsyncIterable<T>,
  ended: PromiseLike<AgentExit>,
  verb: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let held: T | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) yield held;
    held = textOf(chunk).startsWith('{"error"') ? chunk : undefined;
    if (held === undefined) yield chunk;
  }
  const exit = await ended;
  const failed = exit.exitCode !== 0 && !signal.aborted;
  const refused = failed && held !== undefined ? refusalIn(parseJson(textOf(held))) : undefined;
  if (refused !== undefined) throw refused;
  if (held !== undefined) yield held;
  if (failed) throw unreachable(verb, exit);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function textOf(chunk: string | Uint8Array): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
}
