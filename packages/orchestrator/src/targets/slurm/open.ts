import type { TargetSpec } from '@her/configs';
import { HerError } from '../../errors.ts';
import type { StoreWay } from '../../place/from-store.ts';
import { callOf } from '../../place/node-side.ts';
import { localRunner } from '../local/local-runner.ts';
import { bringTo } from '../ssh/bring.ts';
import type { LazyRunner } from '../ssh/lazy-runner.ts';
import { openSshHost, type Provisions } from '../ssh/ssh-host.ts';
import { openSlurmTarget, type SlurmTarget } from './slurm-target.ts';

export type SlurmSpec = Extract<TargetSpec, { kind: 'slurm' }>;

export type SlurmProvisions = Omit<Provisions, 'signal'> & {
  openRunner: (host: string) => LazyRunner;
  /** How inputs at `s3://` are reached. */
  store?: StoreWay | undefined;
  /** Values of the study's secrets; whoever only looks has none to hand out. */
  secrets?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
};

/**
 * Slurm as a study names it. All that jobs need is put on the shared root by way of the login node, or from here where
 * the study names none. Nothing is connected to before something is asked.
 */
export function openSlurm(name: string, spec: SlurmSpec, provisions: SlurmProvisions): SlurmTarget {
  const { openRunner, secrets, store, ...own } = provisions;
  refuseImages(spec);
  const closing = new AbortController();
  const runner = spec.login === undefined ? here : openRunner(spec.login);
  const host = openSshHost(runner, spec, { ...own, signal: closing.signal });
  const side = async () => (await host.settled()).side;
  const target = openSlurmTarget({
    name,
    settings: spec,
    root: async () => (await side()).study,
    runner,
    call: async () => callOf(await side()),
    prepare: async (environments, _say, signal) => {
      signal.addEventListener('abort', () => closing.abort(), { once: true });
      await host.settled();
      for (const environment of environments) await host.environment(environment);
    },
    bring: async (_, held, along) =>
      bringTo({ to: await side(), shared: true, sideOf: side, store }, held, along),
    // Of the environment, which all nodes share; the machine is another one for each attempt.
    fingerprint: async (environment) => {
      const { lockDigest, facts } = await host.environment(environment);
      return { digest: lockDigest, facts: { ...facts, seenOn: runner.host } };
    },
    baseEnv: host.baseEnv,
    secrets,
  });
  return {
    ...target,
    close: async () => {
      closing.abort();
      await target.close();
    },
  };
}

const here: LazyRunner = {
  ...localRunner,
  opened: () => Promise.reject(new TypeError('this machine is not reached over SSH')),
};

function refuseImages({ environments }: SlurmSpec): void {
  if (environments === 'locked' || !('image' in environments)) return;
  throw new HerError('TARGET_UNSUPPORTED', 'jobs of Slurm cannot be run in an image by this version', {
    hint: 'Name environments that are there (`{ swift: { path: … } }`), or say `environments: locked`.',
  });
}
