import { z } from 'zod';
import { HerError } from '../errors.ts';
import { parseJson } from '../targets/agent-answer.ts';
import { LineQueue } from './line-queue.ts';
import type { StorageNode } from './node.ts';

/** Of the conversations of the verbs `upload` and `download` (workers/python/src/her_agent/dialogue.py). */
export const conversationProtocol = 1;

/** The verb tells every few seconds how far it is: this long without a word, and nobody is there. */
const silenceMs = 120_000;

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const failed = {
  type: z.literal('failed'),
  file: count,
  status: z.int().nullable(),
  code: z.string().max(100),
};

export const uploadSays = z.discriminatedUnion('type', [
  z.object({ type: z.literal('piece'), file: count, part: count, size: count, sha256 }),
  z.object({ type: z.literal('sent'), file: count, part: count }),
  z.object({ ...failed, part: count }),
  z.object({ type: z.literal('hashed'), file: count }),
  z.object({ type: z.literal('progress'), sent: count, hashed: count }),
  z.object({ type: z.literal('done'), sent: count, hashed: count }),
]);

export const downloadSays = z.discriminatedUnion('type', [
  z.object({ type: z.literal('want'), file: count }),
  z.object({ type: z.literal('got'), file: count, sha256 }),
  z.object(failed),
  z.object({ type: z.literal('progress'), received: count }),
  z.object({
    type: z.literal('done'),
    received: count,
    files: z.array(z.object({ path: z.string(), size: count, sha256 })),
  }),
]);

/** Answers something to the verb now or later; what it throws ends the conversation. */
type Hear<Said> = (
  said: Said,
  answer: (message: object) => void,
  signal: AbortSignal,
) => Promise<void> | void;

/**
 * Holds a conversation to its end, the verb's word `done`. Words are heard in turn, and what they lead to goes on side
 * by side. Everything that comes from the node is data.
 */
export async function converse<Said extends { type: string }>(options: {
  node: StorageNode;
  verb: string;
  request: object;
  says: z.ZodType<Said>;
  hear: Hear<Said>;
  signal: AbortSignal;
  silence?: number;
}): Promise<Said & { type: 'done' }> {
  const { node, verb, says, hear } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const answers = new LineQueue();
  answers.say({ protocol: conversationProtocol, ...options.request });
  const stop = (): void => answers.end();
  signal.addEventListener('abort', stop, { once: true });

  let failure: { error: unknown } | null = null;
  const fail = (error: unknown): void => {
    failure ??= { error };
    over.abort();
  };
  const silence = watch(options.silence ?? silenceMs, () =>
    fail(new HerError('AGENT_UNREACHABLE', `the agent on ${node.name} fell silent during \`${verb}\``)),
  );
  const going = new Set<Promise<void>>();
  let done: (Said & { type: 'done' }) | null = null;
  try {
    for await (const line of node.converse(verb, answers, signal)) {
      silence.heard();
      const said = parsed(says, line, node, verb);
      if (said.type === 'done') {
        done = said as Said & { type: 'done' };
        answers.end();
        continue;
      }
      const work = (async () => hear(said, (message) => answers.say(message), signal))().catch(fail);
      going.add(work);
      void work.finally(() => going.delete(work));
    }
  } catch (error) {
    fail(error);
  } finally {
    silence.end();
    answers.end();
    await Promise.all(going);
    signal.removeEventListener('abort', stop);
  }
  const found = failure as { error: unknown } | null;
  if (found !== null) throw found.error;
  options.signal.throwIfAborted();
  if (done === null)
    throw new HerError('AGENT_UNREACHABLE', `the agent on ${node.name} ended \`${verb}\` early`);
  return done;
}

function parsed<Said>(says: z.ZodType<Said>, line: string, node: StorageNode, verb: string): Said {
  const found = says.safeParse(parseJson(line));
  if (found.success) return found.data;
  throw new HerError('AGENT_FAILED', `the agent on ${node.name} said in \`${verb}\` what is no word of it`);
}

function watch(milliseconds: number, tell: () => void): { heard: () => void; end: () => void } {
  let timer = setTimeout(tell, milliseconds);
  return {
    heard: () => {
      clearTimeout(timer);
      timer = setTimeout(tell, milliseconds);
    },
    end: () => clearTimeout(timer),
  };
}
