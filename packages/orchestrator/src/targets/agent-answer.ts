import { errorReply } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';

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
  // Its storage is away for now, which says nothing of what lies there.
  if (code === 'storage-away') return new HerError('AGENT_UNREACHABLE', message);
  return new HerError('AGENT_FAILED', `${message} [${code}]`, { hint: hint ?? '', agentCode: code });
}

/**
 * The same answer, where refusals with these codes say nothing for good: who gets one asks again.
 * @throws {HerError} `AGENT_UNREACHABLE` for them
 */
export async function askedAgain<T>(answer: Promise<T>, codes: readonly string[]): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof HerError) || !codes.includes(error.agentCode ?? '')) throw error;
    throw new HerError('AGENT_UNREACHABLE', error.message, { cause: error });
  }
}

/** An agent that ended without an answer of its own. */
export function unreachable(verb: string | undefined, exit: AgentExit): HerError {
  return new HerError('AGENT_UNREACHABLE', `the agent did not answer \`${verb}\`: ${lastWords(exit)}`);
}

/** What a process said last before it ended, or else how it ended. */
export function lastWords({ stderr, originalMessage, exitCode }: AgentExit): string {
  const said = typeof stderr === 'string' ? stderr.trim().split('\n').at(-1) : '';
  return said || originalMessage || `exit code ${exitCode}`;
}

/**
 * What a verb streams. What may be the agent's refusal is held back until it is known whether the agent ended with it, so that it is never taken for what was asked for.
 * @throws {HerError} `AGENT_FAILED` or `AGENT_UNREACHABLE`, when the agent failed and nobody aborted it
 */
export async function* streamed<T extends string | Uint8Array>(
  chunks: AsyncIterable<T>,
  ended: PromiseLike<AgentExit>,
  verb: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let held: T[] = [];
  for await (const chunk of chunks) {
    if (mayBeRefusal([...held, chunk])) {
      held.push(chunk);
      continue;
    }
    yield* held;
    held = mayBeRefusal([chunk]) ? [chunk] : [];
    if (held.length === 0) yield chunk;
  }
  const exit = await ended;
  const failed = exit.exitCode !== 0 && !signal.aborted;
  const refused = failed ? refusalIn(parseJson(textOf(held))) : undefined;
  if (refused !== undefined) throw refused;
  yield* held;
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

const openBrace = 0x7b;

/** One line, as the agent says it; its end may come as a chunk of its own. */
function mayBeRefusal(chunks: readonly (string | Uint8Array)[]): boolean {
  const [first] = chunks;
  // Gigabytes of weights come through here: one byte tells of nearly all of it.
  if ((typeof first === 'string' ? first.charCodeAt(0) : first?.[0]) !== openBrace) return false;
  return /^\{"error"[^\n]*\n?$/.test(textOf(chunks));
}

/** Strings are lines without their ends. */
function textOf(chunks: readonly (string | Uint8Array)[]): string {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(`${chunk}\n`) : chunk));
  return Buffer.concat(bytes).toString('utf8');
}
