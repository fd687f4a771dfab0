import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import type { Runner } from '../targets/runner.ts';
import type { NodeSide } from './node-side.ts';

export const scratch = (): Promise<string> => mkdtemp(join(tmpdir(), 'her-place-'));

/** This machine as a node, under a root of its own. */
export async function madeUpNode(name: string, runner: Runner = localRunner): Promise<NodeSide> {
  const bundle = await bundleFolder();
  python ??= execa('python3', ['-c', 'import sys; print(sys.executable)']).then(({ stdout }) => stdout);
  const root = await scratch();
  return { name, runner, root, study: root, bundle, python: await python };
}

/** Itself: what stands for it on PATH may be a script that looks for it each time. */
let python: Promise<string> | undefined;
let built: Promise<string> | undefined;

/** A folder with the agent under the name that it has in a bundle. */
function bundleFolder(): Promise<string> {
  built ??= (async () => {
    const folder = await scratch();
    await copyFile(await buildAgent(folder), join(folder, 'agent.pyz'));
    return folder;
  })();
  return built;
}

/** A runner that says what the agent was asked, and how much was sent to it. */
export function watched(runner: Runner = localRunner) {
  const calls: string[] = [];
  const sent = { bytes: 0 };
  const watch: Runner = {
    ...runner,
    run: async (argv, options = {}) => {
      calls.push(argv[2] ?? '');
      const { input } = options;
      if (input === undefined || typeof input === 'string' || input instanceof Uint8Array)
        return runner.run(argv, options);
      return runner.run(argv, { ...options, input: countedInto(input, sent) });
    },
  };
  return { runner: watch, calls, sent };
}

async function* countedInto(
  chunks: AsyncIterable<Uint8Array>,
  sent: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    sent.bytes += chunk.length;
    yield chunk;
  }
}
