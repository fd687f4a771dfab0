import { readFile } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { checkReply, hashReply, startReply, statusReply } from '../../agent/protocol.ts';
import { fingerprintOf } from '../../environments/fingerprint.ts';
import type { EnvironmentName } from '../../environments/lock-file.ts';
import { ensureEnvironments, type ReadyEnvironment } from '../../environments/sync.ts';
import { exitCodes, HerError } from '../../errors.ts';
import type { Home, StudyHome } from '../../home.ts';
import type { Target } from '../target.ts';
import { buildAgent } from './agent-archive.ts';
import { type AskOptions, askAgent, streamBytes, streamLines } from './agent-process.ts';

/** This machine as a target: the same agent as everywhere, started without SSH. */
export function openLocalTarget(home: Home, study: StudyHome): Target {
  let built: Promise<string> | undefined;
  const agent = (): Promise<string> => {
    built ??= buildAgent(join(home.root, 'agent'));
    return built;
  };
  const root = study.node;
  const environments = new Map<EnvironmentName, ReadyEnvironment>();
  const ready = (name: EnvironmentName): ReadyEnvironment => {
    const found = environments.get(name);
    if (found === undefined)
      throw new HerError('ENVIRONMENT_SETUP', `the environment ${name} was not set up`, {
        hint: 'Set it up: `her environments`. Then run the same command again.',
      });
    return found;
  };
  const ask = async <T>(
    verb: string,
    args: string[],
    reply: z.ZodType<T>,
    options?: AskOptions,
  ): Promise<T> => askAgent(await agent(), [verb, '--root', root, ...args], reply, options);
  const attemptPath = (attempt: string, path: string): string => join(root, 'attempts', attempt, path);

  return {
    name: 'local',
    node: 'local',
    attemptPath,
    start: (request) => ask('start', [], startReply, { input: JSON.stringify(request) }),
    status: (attempt) => ask('status', ['--attempt', attempt], statusReply),
    events: async function* (attempt, from, signal) {
      const args = ['events', '--root', root, '--attempt', attempt, '--from', String(from), '--follow'];
      yield* streamLines(await agent(), args, signal);
    },
    log: async function* (attempt, rank, from, follow, signal) {
      const args = [
        'log',
        '--root',
        root,
        '--attempt',
        attempt,
        '--rank',
        String(rank),
        '--from',
        String(from),
      ];
      yield* streamBytes(await agent(), follow ? [...args, '--follow'] : args, signal);
    },
    stop: async (attempt, reason, grace) => {
      const args = ['--attempt', attempt, '--grace', String(grace), '--reason', reason];
      await ask('stop', args, anyReply, afterGrace(grace));
    },
    reap: async (attempt, grace) => {
      await ask('reap', ['--attempt', attempt, '--grace', String(grace)], anyReply, afterGrace(grace));
    },
    checkCheckpoint: async (attempt, path, format, worldSize) => {
      const args = [
        '--format',
        format,
        '--path',
        attemptPath(attempt, path),
        '--world-size',
        String(worldSize),
      ];
      return askAgent(await agent(), ['check', ...args], checkReply, untilDone);
    },
    hash: async (attempt, path) =>
      askAgent(await agent(), ['hash', '--path', attemptPath(attempt, path)], hashReply, untilDone),
    readFile: (attempt, path) => readFile(attemptPath(attempt, path), 'utf8'),
    prepare: async (names, say, signal) => {
      refuseOtherSystems();
      for (const [name, found] of await ensureEnvironments(home.environments, names, say, signal))
        environments.set(name, found);
    },
    fingerprint: (name) => fingerprintOf(ready(name)),
    baseEnv: (name) => rankEnv(ready(name).folder),
  };
}

/** Gigabytes are read: how long that takes says nothing of whether the agent is there. */
const untilDone: AskOptions = { timeout: null };

function afterGrace(grace: number): AskOptions {
  return { timeout: grace + 60 };
}

const anyReply = z.object({}).loose();

/** Nothing else of the caller's environment reaches a trainer, so that a run does not depend on a person's shell. */
function rankEnv(folder: string): Record<string, string> {
  const kept = ['LANG', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    HOME: homedir(),
    USER: userInfo().username,
    TMPDIR: tmpdir(),
    VIRTUAL_ENV: folder,
    PATH: [join(folder, 'bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
  };
}

/** The agent reads /proc, and the locked environments are for Linux: other systems can drive nodes, not be one. */
function refuseOtherSystems(): void {
  if (process.platform === 'linux') return;
  throw new HerError('ENVIRONMENT_SETUP', `the target \`local\` needs Linux; this is ${process.platform}`, {
    hint: 'Run it on a Linux machine.',
    exitCode: exitCodes.setup,
  });
}
