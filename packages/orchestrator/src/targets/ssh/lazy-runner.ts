import type { SshRunner } from '../../ssh/open-runner.ts';
import type { AgentExit } from '../agent-answer.ts';
import { once } from '../once.ts';
import type { Runner } from '../runner.ts';

/** A runner whose host is looked up (`ssh -G`) when something is first asked of it. */
export type LazyRunner = Runner & { opened(): Promise<SshRunner> };

export function lazyRunner(host: string, open: () => Promise<SshRunner>): LazyRunner {
  let asked = false;
  const first = once(open);
  const opened = (): Promise<SshRunner> => {
    asked = true;
    return first();
  };
  return {
    host,
    opened,
    run: async (argv, options) => (await opened()).run(argv, options),
    stream: (argv, signal, input) => {
      const ended = Promise.withResolvers<AgentExit>();
      ended.promise.catch(() => undefined);
      const chunks = (async function* () {
        try {
          const streamed = (await opened()).stream(argv, signal, input);
          yield* streamed.chunks;
          ended.resolve(await streamed.ended);
        } catch (error) {
          ended.reject(error);
          throw error;
        } finally {
          ended.resolve({ originalMessage: 'it was let go' });
        }
      })();
      return { chunks, ended: ended.promise };
    },
    close: async () => {
      if (asked)
        await opened().then(
          (runner) => runner.close(),
          () => undefined,
        );
    },
  };
}
