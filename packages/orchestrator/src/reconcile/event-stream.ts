import { z } from 'zod';
import { type AgentEvent, agentEvent, errorReply } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';

/**
 * One line of an attempt's events.
 * @throws {HerError} `AGENT_FAILED` where the agent refused or the event is damaged; `AGENT_UNREACHABLE` for half a
 *   line, which a stream that was cut off leaves behind and which says nothing about the attempt
 */
export function parseEvent(line: string): AgentEvent {
  const value = parseLine(line);
  const parsed = schemaOf(value).safeParse(value);
  if (parsed.success) return parsed.data;
  const refused = errorReply.safeParse(value);
  if (refused.success) {
    throw new HerError('AGENT_FAILED', refused.data.error.message, { agentCode: refused.data.error.code });
  }
  throw new HerError('AGENT_FAILED', `an event that cannot be read: ${line.slice(0, 200)}`);
}

/** By type, so that an event is not held against every form in turn: metrics come by the thousand. */
const forms = new Map<unknown, (typeof agentEvent.options)[number]>(
  agentEvent.options.flatMap((form) => {
    const { type } = form.shape;
    return type instanceof z.ZodLiteral ? [[type.value, form]] : [];
  }),
);

function schemaOf(value: unknown): z.ZodType<AgentEvent> {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return forms.get(type) ?? agentEvent;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HerError('AGENT_UNREACHABLE', 'the event stream broke off in the middle of a line', { cause });
  }
}

/** Lines that wait at most: where this process or its disk is slow, the rest waits on its node and not in memory here. */
const mostWaiting = 1024;

/** Gathers the lines that arrive while the last batch is written, so that one disk sync serves them all. */
export async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  const waiting: string[] = [];
  let done = false;
  let left = false;
  let failure: unknown;
  let wake = (): void => undefined;
  let goOn = (): void => undefined;
  const pump = (async () => {
    for await (const line of lines) {
      if (left) break;
      if (line !== '') waiting.push(line);
      wake();
      if (waiting.length >= mostWaiting) {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      }
    }
  })()
    .catch((error: unknown) => {
      failure = error ?? new Error('the event stream failed');
    })
    .finally(() => {
      done = true;
      wake();
    });
  try {
    while (!done || waiting.length > 0) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const batch = waiting.splice(0);
      goOn();
      yield batch;
    }
  } finally {
    // Whoever reads may leave before the end.
    left = true;
    goOn();
  }
  await pump;
  if (failure !== undefined) throw failure;
}
