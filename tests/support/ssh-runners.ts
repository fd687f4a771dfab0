import { HerError, type HerErrorCode } from '../../packages/orchestrator/src/errors.ts';
import { type Home, openHome } from '../../packages/orchestrator/src/home.ts';
import {
  type OpenSshOptions,
  openSshRunner,
  type SshRunner,
} from '../../packages/orchestrator/src/ssh/open-runner.ts';

export type Told = { code: HerErrorCode; message: string; hint: string };

/** Runners of one test, all closed at its end. */
export type Runners = {
  home: Home;
  open(host: string, options?: Omit<OpenSshOptions, 'home'>): Promise<SshRunner>;
  /** What connecting to a host is refused with. */
  refusal(host: string): Promise<Told>;
  close(): Promise<void>;
};

export function openRunners(folder: string): Runners {
  const home = openHome(folder);
  const opened: SshRunner[] = [];
  const open = async (host: string, options: Omit<OpenSshOptions, 'home'> = {}): Promise<SshRunner> => {
    const runner = await openSshRunner(host, { home, ...options });
    opened.push(runner);
    return runner;
  };
  return {
    home,
    open,
    refusal: (host) => refused(async () => (await open(host)).connect()),
    close: async () => {
      await Promise.all(opened.splice(0).map((runner) => runner.close()));
    },
  };
}

/** The error that something ends with. */
export async function refused(act: () => Promise<unknown>): Promise<Told> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof HerError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint };
  }
  throw new Error('it was not refused');
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
