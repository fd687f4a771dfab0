import { z } from 'zod';
import { checkReply, hashReply, startReply, statusReply } from '../agent/protocol.ts';
import { type AgentCall, askAgent, streamBytes, streamLines } from './agent-verbs.ts';
import type { RunOptions } from './runner.ts';
import type { Node } from './target.ts';

export type AgentNodeOptions = {
  name: string;
  address: Node['address'];
  /** Absolute, on the node: attempts lie below. */
  root(): Promise<string>;
  /** How to call the agent, once it is there. */
  call(): Promise<AgentCall>;
  runner: AgentCall['runner'];
  fingerprint: Node['fingerprint'];
  baseEnv: Node['baseEnv'];
  inEnvironment: Node['inEnvironment'];
};

/** A machine seen through its agent's verbs. What differs between machines is the runner. */
export function openAgentNode({ name, address, root, call, runner, ...place }: AgentNodeOptions): Node {
  const attemptPath: Node['attemptPath'] = async (attempt, path) =>
    `${await root()}/attempts/${attempt}/${path}`;
  const ask = async <T>(
    verb: string,
    args: readonly string[],
    reply: z.ZodType<T>,
    options?: RunOptions,
  ): Promise<T> => askAgent(await call(), [verb, ...args], reply, options);
  const of = async (attempt: string): Promise<string[]> => ['--root', await root(), '--attempt', attempt];
  return {
    name,
    address,
    runner,
    attemptPath,
    ask,
    start: async (request) =>
      ask('start', ['--root', await root()], startReply, { input: JSON.stringify(request) }),
    status: async (attempt) => ask('status', await of(attempt), statusReply),
    events: async function* (attempt, from, signal) {
      const args = ['events', ...(await of(attempt)), '--from', String(from), '--follow'];
      yield* streamLines(await call(), args, signal);
    },
    log: async function* (attempt, log, from, follow, signal) {
      const which = typeof log === 'number' ? ['--rank', String(log)] : ['--service', log];
      const args = ['log', ...(await of(attempt)), ...which, '--from', String(from)];
      yield* streamBytes(await call(), follow ? [...args, '--follow'] : args, signal);
    },
    converse: async function* (verb, lines, signal) {
      yield* streamLines(await call(), [verb, '--root', await root()], signal, lines);
    },
    stop: async (attempt, reason, grace) => {
      const args = [...(await of(attempt)), '--grace', String(grace), '--reason', reason];
      await ask('stop', args, anyReply, afterGrace(grace));
    },
    reap: async (attempt, grace) => {
      await ask('reap', [...(await of(attempt)), '--grace', String(grace)], anyReply, afterGrace(grace));
    },
    checkCheckpoint: async (attempt, path, format, worldSize, signal) => {
      const at = await attemptPath(attempt, path);
      const args = ['--hashed', '--format', format, '--path', at, '--world-size', String(worldSize)];
      return ask('check', args, checkReply, untilDone(signal));
    },
    hash: async (attempt, path, signal) =>
      ask('hash', ['--path', await attemptPath(attempt, path)], hashReply, untilDone(signal)),
    readFile: async (attempt, path) => {
      const result = await runner.run(['cat', '--', await attemptPath(attempt, path)]);
      if (result.exitCode === 0) return result.stdout;
      throw new TypeError(result.stderr.trim() || `${path} cannot be read`);
    },
    ...place,
  };
}

/** Gigabytes are read: how long that takes says nothing of whether the agent is there. */
function untilDone(signal: AbortSignal | undefined): RunOptions {
  return { timeout: null, ...(signal === undefined ? {} : { signal }) };
}

function afterGrace(grace: number): RunOptions {
  return { timeout: grace + 60 };
}

const anyReply = z.object({}).loose();
