import type { AgentExit } from './agent-answer.ts';
import type { Streamed } from './runner.ts';

/** What a generator yields is streamed, and what it returns, or throws, is how that ended. */
export function streamedBy(generate: () => AsyncGenerator<Uint8Array, AgentExit>): Streamed {
  const ended = Promise.withResolvers<AgentExit>();
  // Who reads the chunks is told of a failure by them.
  ended.promise.catch(() => undefined);
  const chunks = (async function* () {
    try {
      ended.resolve(yield* generate());
    } catch (error) {
      ended.reject(error);
      throw error;
    } finally {
      ended.resolve({ originalMessage: 'it was let go' });
    }
  })();
  return { chunks, ended: ended.promise };
}

/** The other way round: all of a stream, and its end. */
export async function* passOn({ chunks, ended }: Streamed): AsyncGenerator<Uint8Array, AgentExit> {
  yield* chunks;
  return await ended;
}
