import type { z } from 'zod';
import { parseJson, refusalIn, streamed, unreachable } from './agent-answer.ts';
import { linesOf } from './lines.ts';
import type { Runner, RunOptions } from './runner.ts';

/** The agent on one machine: how it is called. */
export type AgentCall = { runner: Runner; python: string; agent: string };

/** Runs one verb of the agent and reads its one JSON reply. */
export async function askAgent<T>(
  { runner, python, agent }: AgentCall,
  args: readonly string[],
  reply: z.ZodType<T>,
  options: RunOptions = {},
): Promise<T> {
  const result = await runner.run([python, agent, ...args], options);
  const said = parseJson(result.stdout);
  const refused = refusalIn(said);
  if (refused !== undefined) throw refused;
  const success = reply.safeParse(said);
  if (result.exitCode === 0 && success.success) return success.data;
  throw unreachable(args[0], result);
}

/** Lines of a verb that streams, until it ends by itself or the signal aborts. `said` are lines for its standard input. */
export async function* streamLines(
  call: AgentCall,
  args: readonly string[],
  signal: AbortSignal,
  said?: AsyncIterable<string>,
): AsyncGenerator<string> {
  const input = said === undefined ? undefined : withEnds(said);
  const { chunks, ended } = call.runner.stream([call.python, call.agent, ...args], signal, input);
  yield* streamed(linesOf(chunks), ended, args[0], signal);
}

/** Bytes of a verb that streams. */
export async function* streamBytes(
  call: AgentCall,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { chunks, ended } = call.runner.stream([call.python, call.agent, ...args], signal);
  yield* streamed(chunks, ended, args[0], signal);
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}
