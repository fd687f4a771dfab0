import type { SshRunner } from '../../ssh/open-runner.ts';
import { once } from '../once.ts';
import type { Runner } from '../runner.ts';
import { passOn, streamedBy } from '../streamed-by.ts';

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
    stream: (argv, signal, input) =>
      streamedBy(async function* () {
        return yield* passOn((await opened()).stream(argv, signal, input));
      }),
    close: async () => {
      if (asked)
        await opened().then(
          (runner) => runner.close(),
          () => undefined,
        );
    },
  };
}
