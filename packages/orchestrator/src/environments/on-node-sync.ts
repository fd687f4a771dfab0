import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { exitCodes, HerError } from '../errors.ts';
import { askNode, type NodeSide } from '../place/node-side.ts';
import { type EnvironmentLock, environmentLabels, unpackedFactor } from './lock-file.ts';
import { nodeSettings } from './node-settings.ts';
import { uvOnNode } from './on-node-uv.ts';

export type LockedOptions = {
  say: (line: string) => void;
  signal: AbortSignal;
  /** A uv of this machine, to be sent where a node has none. */
  uv?: () => Promise<string>;
  /** Whether the node has GPUs that its trainers are to use. */
  gpus?: boolean;
};

const state = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ready'), folder: z.string().startsWith('/') }),
  z.object({ state: z.literal('absent') }),
  z.object({ state: z.literal('syncing'), host: z.string(), downloaded: z.int(), line: z.string() }),
  z.object({
    state: z.literal('failed'),
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    tail: z.array(z.string()),
  }),
]);
type State = z.infer<typeof state>;

const secondsBetweenLooks = 1.5;
const secondsBetweenLines = 15;
const secondsOfSilence = 600;
const mostStarts = 3;

/**
 * The folder of an environment made from its lock. It is made by a process of the node's own, which goes on when we are
 * gone; of several nodes with one root, one makes it and the others wait.
 */
export async function syncedFolder(
  node: NodeSide,
  lock: EnvironmentLock,
  options: LockedOptions,
): Promise<string> {
  const label = environmentLabels[lock.name];
  const begun = Date.now();
  const elapsed = (): number => Math.round((Date.now() - begun) / 1000);
  const first = await look(node, lock, options.signal);
  if (first.state === 'ready') return first.folder;
  let now = first.state === 'syncing' ? first : await start(node, lock, options);
  let starts = 1;
  let said = 0;
  for (;;) {
    if (now.state === 'ready') {
      options.say(`${node.name}: ${label}: ready after ${elapsed()} s`);
      return now.folder;
    }
    if (now.state === 'failed') throw failed(node, label, now);
    if (now.state === 'absent') {
      if (++starts > mostStarts) throw gone(node, label);
      now = await start(node, lock, options);
      continue;
    }
    if (elapsed() - said >= secondsBetweenLines) {
      said = elapsed();
      const where = now.host === '' ? '' : ` on ${now.host}`;
      options.say(
        `${node.name}: ${label}: installing${where}, ${said} s so far, ${now.downloaded} large packages downloaded`,
      );
    }
    await sleep(secondsBetweenLooks * 1000, undefined, { signal: options.signal }).catch(() => {
      throw interrupted(node, label);
    });
    now = await patientLook(node, lock, options, label);
  }
}

function look(node: NodeSide, lock: EnvironmentLock, signal: AbortSignal): Promise<State> {
  return askNode(node, ['environment-look', ...named(node, lock)], state, { signal });
}

/** A cut line says nothing of what goes on there. */
async function patientLook(
  node: NodeSide,
  lock: EnvironmentLock,
  { say, signal }: LockedOptions,
  label: string,
): Promise<State> {
  const since = Date.now();
  let told = false;
  for (;;) {
    try {
      return await look(node, lock, signal);
    } catch (error) {
      const silent = (Date.now() - since) / 1000;
      const cut = error instanceof HerError && error.code === 'AGENT_UNREACHABLE';
      if (signal.aborted) throw interrupted(node, label);
      if (!cut || silent > secondsOfSilence) throw error;
      if (!told) say(`${node.name}: not reached at the moment; ${label} goes on being installed there`);
      told = true;
      await sleep(3000);
    }
  }
}

async function start(
  node: NodeSide,
  lock: EnvironmentLock,
  { say, signal, uv }: LockedOptions,
): Promise<State> {
  const label = environmentLabels[lock.name];
  const program = await uvOnNode(node, { say, signal, uv });
  say(
    `${node.name}: ${label}: ${lock.packages} packages, at most ${(lock.bytes / 1e9).toFixed(1)} GB to download (less where uv has them already)`,
  );
  const project = `${node.bundle}/envs/${lock.lock}`;
  const size = Math.round(lock.bytes * unpackedFactor);
  const args = [...named(node, lock), '--project', project, '--uv', program, '--size', String(size)];
  // Over standard input, and kept nowhere.
  const input = JSON.stringify(nodeSettings());
  return await askNode(node, ['environment-sync', ...args], state, { signal, input });
}

function named(node: NodeSide, lock: EnvironmentLock): string[] {
  const name = `${lock.lock}-${lock.digest.slice(0, 12)}`;
  return ['--root', node.root, '--name', name, '--digest', lock.digest];
}

function failed(node: NodeSide, label: string, why: Extract<State, { state: 'failed' }>): HerError {
  const full = why.code === 'disk-full';
  return new HerError(full ? 'DISK_FULL' : 'ENVIRONMENT_SETUP', `${node.name}: ${label}: ${why.message}`, {
    hint: why.hint || 'Run the same command again; what was downloaded is kept.',
    exitCode: exitCodes.setup,
    agentCode: why.code,
    cause: why.tail.join('\n'),
  });
}

function gone(node: NodeSide, label: string): HerError {
  return new HerError(
    'ENVIRONMENT_SETUP',
    `${node.name}: ${label}: what installs it ended ${mostStarts} times without a word`,
    {
      hint: `Look into ${node.root}/envs there: is it killed for the memory it takes?`,
      exitCode: exitCodes.setup,
    },
  );
}

function interrupted(node: NodeSide, label: string): HerError {
  return new HerError('ENVIRONMENT_SETUP', `let go of ${node.name}, where ${label} goes on being installed`, {
    hint: 'The same command waits for it again.',
    exitCode: exitCodes.detached,
  });
}
