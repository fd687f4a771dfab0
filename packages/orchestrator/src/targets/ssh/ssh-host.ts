import { dirname } from 'node:path';
import type { TargetSpec } from '@her/configs';
import type { StartRequest } from '../../agent/protocol.ts';
import type { Bundle } from '../../bundle/build.ts';
import { ensureBundle } from '../../bundle/send.ts';
import type { EnvironmentName } from '../../environments/lock-file.ts';
import { ensureNodeEnvironment, type NodeEnvironment } from '../../environments/on-node.ts';
import { wrapRanks } from '../../environments/wrap-ranks.ts';
import { HerError } from '../../errors.ts';
import type { NodeSide } from '../../place/node-side.ts';
import { once } from '../once.ts';
import type { Fingerprint } from '../target.ts';
import type { LazyRunner } from './lazy-runner.ts';

export type OnNodes = Pick<Extract<TargetSpec, { kind: 'ssh' }>, 'root' | 'python' | 'environments' | 'gpus'>;

/** What is done once for all hosts of a target, when the first needs it. */
export type Provisions = {
  bundle: () => Promise<Bundle>;
  /** A uv of this machine, for nodes that have none. */
  uv: () => Promise<string>;
  /** A name for the folder of the attempts: two ledgers may have the same job on one node. */
  study: () => Promise<string>;
  say: (line: string) => void;
  signal: AbortSignal;
};

/** A host with our files on it, and who we are there. */
export type Settled = { side: NodeSide; home: string; user: string };

/** One host and what it has of ours. Each step is taken once, when it is first needed, and again after it failed. */
export type SshHost = {
  readonly name: string;
  readonly runner: LazyRunner;
  settled(): Promise<Settled>;
  environment(name: EnvironmentName): Promise<NodeEnvironment>;
  baseEnv(name: EnvironmentName): Promise<Record<string, string>>;
  fingerprint(name: EnvironmentName): Promise<Fingerprint>;
  /** The same request, as the environment wants it: in an image the ranks are commands of a container. */
  inEnvironment(name: EnvironmentName, request: StartRequest): Promise<StartRequest>;
};

export function openSshHost(
  runner: LazyRunner,
  { root, python, environments, gpus }: OnNodes,
  { bundle, uv, study, say, signal }: Provisions,
): SshHost {
  const settled = once(async (): Promise<Settled> => {
    const [{ folder }, who, place] = await Promise.all([
      ensureBundle(runner, root, await bundle(), { python, say, signal }),
      whoAmI(runner),
      study(),
    ]);
    const top = dirname(dirname(folder));
    const side = {
      name: runner.host,
      runner,
      root: top,
      study: `${top}/studies/${place}`,
      bundle: folder,
      python,
    };
    return { side, ...who };
  });
  const made = new Map<EnvironmentName, () => Promise<NodeEnvironment>>();
  const environment = async (name: EnvironmentName): Promise<NodeEnvironment> => {
    const spec =
      environments === 'locked' || 'image' in environments ? environments : (environments[name] ?? 'locked');
    const make =
      made.get(name) ??
      once(async () =>
        ensureNodeEnvironment((await settled()).side, spec, name, {
          ...{ say, signal, uv, gpus: gpus !== undefined },
        }),
      );
    made.set(name, make);
    return await make();
  };
  return {
    name: runner.host,
    runner,
    settled,
    environment,
    baseEnv: async (name) => {
      const { side, home, user } = await settled();
      const { bin } = await environment(name);
      return {
        HOME: home,
        USER: user,
        LANG: 'C.UTF-8',
        PYTHONPATH: `${side.bundle}/python:${side.bundle}/code`,
        // In an image its own PATH holds.
        ...(bin === null
          ? {}
          : {
              VIRTUAL_ENV: dirname(bin),
              PATH: `${bin}:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin`,
            }),
      };
    },
    inEnvironment: async (name, request) => {
      const { root: top, study: place } = (await settled()).side;
      const maker = gpus === undefined ? null : /^MI\d/.test(gpus.kind ?? '') ? 'rocm' : 'nvidia';
      const folder = `${place}/attempts/${request.attempt}`;
      return wrapRanks(await environment(name), request, { root: top, folder, gpus: maker });
    },
    fingerprint: async (name) => {
      const { lockDigest, facts } = await environment(name);
      const { hostKey, via } = await runner.opened();
      return { digest: lockDigest, facts: { ...facts, hostKey: hostKey ?? 'not known', via } };
    },
  };
}

async function whoAmI(runner: LazyRunner): Promise<{ home: string; user: string }> {
  const script = 'printf "%s\\n%s\\n" "$HOME" "$(id -un)"';
  const { stdout, stderr } = await runner.run(['sh', '-c', script]);
  const [home = '', user = ''] = stdout.split('\n');
  if (home.startsWith('/') && user !== '') return { home, user };
  const said = stderr.trim() || stdout.trim();
  throw new HerError('AGENT_FAILED', `${runner.host} does not say who we are there: ${said}`);
}
