import { execa } from 'execa';
import type { z } from 'zod';
import { errorReply } from '../../agent/protocol.ts';
import { HerError } from '../../errors.ts';

/** Runs one verb of the agent and reads its one JSON reply. The agent's own process group: Ctrl-C is not for it. */
export async function askAgent<T>(
  agent: string,
  args: readonly string[],
  reply: z.ZodType<T>,
  input = '',
): Promise<T> {
  const result = await execa('python3', [agent, ...args], {
    input,
    reject: false,
    detached: true,
    timeout: 600_000,
  });
  const parsed = parseJson(result.stdout);
  const failure = errorReply.safeParse(parsed);
  if (failure.success) {
    const { code, message, hint } = failure.data.error;
    throw new HerError('AGENT_FAILED', `${message} [${code}]`, hint == null ? {} : { hint });
  }
  const success = reply.safeParse(parsed);
  if (result.exitCode === 0 && success.success) return success.data;
  const said =
    result.stderr.trim().split('\n').at(-1) || result.originalMessage || `exit code ${result.exitCode}`;
  throw new HerError('AGENT_UNREACHABLE', `the agent did not answer \`${args[0]}\`: ${said}`);
}

/** Lines of a verb that streams, until it ends by itself or the signal aborts. */
export async function* streamLines(
  agent: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const child = execa('python3', [agent, ...args], streamOptions(signal));
  yield* child.iterable();
}

/** Bytes of a verb that streams. */
export async function* streamBytes(
  agent: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const child = execa('python3', [agent, ...args], streamOptions(signal));
  yield* child.iterable({ binary: true });
}

/** Standard input stays open: the agent takes its closing, which follows our death however we die, as the end. */
function streamOptions(signal: AbortSignal) {
  return {
    stdin: 'pipe',
    buffer: false,
    detached: true,
    cleanup: true,
    reject: false,
    cancelSignal: signal,
  } as const;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
