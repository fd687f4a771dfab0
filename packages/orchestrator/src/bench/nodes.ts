import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { HerError } from '../errors.ts';
import { openHome } from '../home.ts';
import { openSshRunner } from '../ssh/open-runner.ts';
import type { Runner } from '../targets/runner.ts';
import { endOf } from './fleet.ts';

const census = z.object({
  seconds: z.object({ agents: z.number(), streams: z.number(), writers: z.number(), sshd: z.number() }),
  live: z.int(),
});
const written = z.object({ steps: z.int() });

/** Processor seconds by kind of process, over all hosts. */
export type NodeTimes = z.infer<typeof census>['seconds'];

/** The hosts of a measurement, over connections that are not the measured ones. */
export type Nodes = {
  times(): Promise<NodeTimes>;
  /** Tells the trainers to end. */
  end(): Promise<void>;
  /** By attempt, how many steps its trainer says it logged. */
  written(): Promise<Map<string, number>>;
  /** Ends what still runs there and removes the folder. Returns the hosts where that failed. */
  clear(): Promise<string[]>;
};

export async function openNodes(hosts: readonly string[], root: string, homeRoot: string): Promise<Nodes> {
  const home = openHome(homeRoot);
  const runners = await Promise.all(hosts.map((host) => openSshRunner(host, { home })));
  const program = await readFile(join(import.meta.dirname, 'census.py'), 'utf8');
  const look = async (runner: Runner) =>
    census.parse(JSON.parse(await said(runner, ['python3', '-', root], program)));
  const onAll = <T>(act: (runner: Runner) => Promise<T>): Promise<T[]> => Promise.all(runners.map(act));
  const end = (runner: Runner) => said(runner, ['sh', '-c', 'mkdir -p "$0" && : > "$1"', root, endOf(root)]);
  return {
    times: async () => {
      const sum: NodeTimes = { agents: 0, streams: 0, writers: 0, sshd: 0 };
      for (const { seconds } of await onAll(look)) for (const kind of kinds) sum[kind] += seconds[kind];
      return sum;
    },
    end: async () => void (await onAll(end)),
    written: async () => {
      const script =
        'cd "$0/studies/bench/attempts" && for a in *; do printf "%s " "$a"; cat "$a/out/written.json"; echo; done';
      const texts = await onAll((runner) => said(runner, ['sh', '-c', script, root]));
      const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
      return new Map(
        lines.map((line) => {
          const [attempt = '', told = ''] = line.split(/ (.*)/s);
          return [attempt, written.parse(JSON.parse(told)).steps];
        }),
      );
    },
    clear: async () => {
      const left = await onAll(async (runner) => {
        try {
          await end(runner);
          for (let tries = 0; tries < 60 && (await look(runner)).live > 0; tries += 1) await wait(500);
          await said(runner, ['rm', '-rf', '--', root]);
          return [];
        } catch {
          return [runner.host];
        } finally {
          await runner.close();
        }
      });
      return left.flat();
    },
  };
}

const kinds = ['agents', 'streams', 'writers', 'sshd'] as const;

async function said(runner: Runner, argv: readonly string[], input = ''): Promise<string> {
  const { exitCode, stdout, stderr } = await runner.run(argv, { input });
  if (exitCode === 0) return stdout;
  throw new HerError('AGENT_FAILED', `${runner.host}: ${argv[0]} failed: ${stderr.trim()}`);
}
