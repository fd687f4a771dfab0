import { join } from 'node:path';
import type { Plan } from '@her/configs';
import { buildBundle } from '../bundle/build.ts';
import type { Code } from '../bundle/code.ts';
import type { Home, StudyHome } from '../home.ts';
import type { Capacity } from '../reconcile/capacity.ts';
import { openSshRunner } from '../ssh/open-runner.ts';
import { buildAgent } from './local/agent-archive.ts';
import { openLocalTarget } from './local/local-target.ts';
import { once } from './once.ts';
import { openSlurm } from './slurm/open.ts';
import { type LazyRunner, lazyRunner } from './ssh/lazy-runner.ts';
import { openSshTarget } from './ssh/ssh-target.ts';
import type { Target } from './target.ts';

export type OpenTargetOptions = {
  say?: (line: string) => void;
  /** The study's own code, for those who start something. */
  code?: () => Promise<Code | null>;
  /** Values of the study's secrets, for jobs that begin after they were handed over. */
  secrets?: () => Promise<Record<string, string>>;
  runnerOn?: RunnerOn;
  /** The agent's zipapp, here. */
  archive?: () => Promise<string>;
};

/** The one way to a host that all share: a connection is opened when something is first asked of it. */
export type RunnerOn = (host: string) => LazyRunner;

export function openRunners(home: Home, say: (line: string) => void): RunnerOn {
  const opened = new Map<string, LazyRunner>();
  return (host) => {
    const runner = opened.get(host) ?? lazyRunner(host, () => openSshRunner(host, { home, say }));
    opened.set(host, runner);
    return runner;
  };
}

/** Opens the place that a plan runs on. Nothing is connected to or started by that. */
export function openTarget(
  home: Home,
  study: StudyHome,
  { runsOn, target: name }: Plan,
  {
    say = () => undefined,
    code = async () => null,
    secrets,
    runnerOn = openRunners(home, say),
    archive = () => buildAgent(join(home.root, 'agent')),
  }: OpenTargetOptions = {},
): Target {
  const bundle = once(async () => buildBundle(await archive(), await code()));
  switch (runsOn.kind) {
    case 'local':
      return openLocalTarget(home, study);
    case 'ssh':
      return openSshTarget(name, runsOn, runnerOn, { bundle, say });
    case 'slurm':
      return openSlurm(name, runsOn, { openRunner: runnerOn, bundle, say, secrets });
  }
}

/** What each node of a plan's target has for jobs. A scheduler does its own counting. */
export function capacityOf({ runsOn }: Plan, target: Target): Capacity {
  const boundless = runsOn.kind === 'slurm';
  return target.nodes.map(({ name }) => ({
    node: name,
    cores: boundless ? Number.POSITIVE_INFINITY : runsOn.cores,
    memoryGb: boundless ? Number.POSITIVE_INFINITY : runsOn.memory_gb,
    gpus: boundless ? Number.POSITIVE_INFINITY : (runsOn.gpus?.per_node ?? 0),
  }));
}
