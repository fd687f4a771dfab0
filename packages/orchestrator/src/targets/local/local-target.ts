import { homedir, tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { fingerprintOf } from '../../environments/fingerprint.ts';
import type { EnvironmentName } from '../../environments/lock-file.ts';
import { ensureEnvironments, type ReadyEnvironment } from '../../environments/sync.ts';
import { exitCodes, HerError } from '../../errors.ts';
import type { Home, StudyHome } from '../../home.ts';
import { openAgentNode } from '../agent-node.ts';
import type { AgentCall } from '../agent-verbs.ts';
import { nodeNamed, startEach } from '../places.ts';
import type { Target } from '../target.ts';
import { buildAgent } from './agent-archive.ts';
import { localRunner } from './local-runner.ts';

/** This machine as a target: the same agent as everywhere, started without SSH. */
export function openLocalTarget(home: Home, study: StudyHome): Target {
  let built: Promise<string> | undefined;
  const call = async (): Promise<AgentCall> => {
    built ??= buildAgent(join(home.root, 'agent'));
    return { runner: localRunner, python: 'python3', agent: await built };
  };
  const environments = new Map<EnvironmentName, ReadyEnvironment>();
  const ready = (name: EnvironmentName): ReadyEnvironment => {
    const found = environments.get(name);
    if (found === undefined)
      throw new HerError('ENVIRONMENT_SETUP', `the environment ${name} was not set up`, {
        hint: 'Set it up: `her environments`. Then run the same command again.',
      });
    return found;
  };
  const node = openAgentNode({
    name: 'local',
    address: async () => null,
    root: async () => study.node,
    call,
    runner: localRunner,
    fingerprint: (name) => fingerprintOf(ready(name)),
    baseEnv: async (name) => rankEnv(ready(name).folder),
    inEnvironment: async (_, request) => request,
  });
  const nodes = [node];
  const named = (name: string) => nodeNamed(nodes, name, 'local');
  return {
    name: 'local',
    kind: 'local',
    nodes,
    storage: 'shared',
    node: named,
    prepare: async (names, say, signal) => {
      refuseOtherSystems();
      for (const [name, found] of await ensureEnvironments(home.environments, names, say, signal))
        environments.set(name, found);
    },
    bring: async (_, held) =>
      held.kind === 'path'
        ? { path: held.here, digest: held.digest, how: 'planned' }
        : { path: await node.attemptPath(held.attempt, held.path), digest: held.digest, how: 'planned' },
    startGang: startEach(named),
    close: async () => undefined,
  };
}

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
