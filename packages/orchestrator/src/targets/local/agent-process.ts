import { execa } from 'execa';
import type { z } from 'zod';
import { parseJson, refusalIn, streamed, unreachable } from './agent-answer.ts';

/** `timeout` in seconds; null waits for as long as it takes. */
export type AskOptions = { input?: string; timeout?: number | null };

/** Runs one verb of the agent and reads its one JSON reply. The agent's own process group: Ctrl-C is not for it. */
export async function askAgent<T>(
  agent: string,
  args: readonly string[],
  reply: z.ZodType<T>,
  { input = '', timeout = 60 }: AskOptions = {},
): Promise<T> {
  const result = await execa('python3', [agent, ...args], {
    input,
    reject: false,
    detached: true,
    ...(timeout === null ? {} : { timeout: timeout * 1000 }),
  });
  const said = parseJson(result.stdout);
  const refused = refusalIn(said);
  if (refused !== undefined) throw refused;
  const success = reply.safeParse(said);
  if (result.exitCode === 0 && success.success) return success.data;
  throw unreachable(args[0], result);
}

/** Lines of a verb that streams, until it ends by itself or the signal aborts. */
export async function* streamLines(
  agent: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const child = execa('python3', [agent, ...args], streamOptions(signal));
  yield* streamed(child.iterable(), child, args[0], signal);
}

/** Bytes of a verb that streams. */
export async function* streamBytes(
  agent: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const child = execa('python3', [agent, ...args], streamOptions(signal));
  yield* streamed(child.iterable({ binary: true }), child, args[0], signal);
}

/** Standard input stays open: the agent takes its closing, which follows our death however we die, as the end. */
function streamOptions(signal: AbortSignal) {
  return {
    stdin: 'pipe',
    buffer: { stdout: false, stderr: true },
    detached: true,
    reject: false,
    cancelSignal: signal,
  } as const;
}
