import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plan } from '@her/configs';
import { buildBundle } from '../bundle/build.ts';
import type { Code } from '../bundle/code.ts';
import { ensureUv } from '../environments/uv.ts';
import type { Home, StudyHome } from '../home.ts';
import type { Capacity } from '../reconcile/capacity.ts';
import { openSshRunner } from '../ssh/open-runner.ts';
import type { SeenHostKey } from '../ssh/seen-host-key.ts';
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

/** @param onHostKeys is told the keys that hosts, and those on the way, were reached under */
export function openRunners(
  home: Home,
  say: (line: string) => void,
  onHostKeys?: (seen: readonly SeenHostKey[]) => void,
): RunnerOn {
  const opened = new Map<string, LazyRunner>();
  return (host) => {
    const runner = opened.get(host) ?? lazyRunner(host, () => openSshRunner(host, { home, say, onHostKeys }));
    opened.set(host, runner);
    return runner;
  };
}

/** Opens the place that a plan runs on. Nothing is connected to or started by that. */
export function openTarget(
  home: Home,
  study: StudyHome,
  { runsOn, target: name, store: declared }: Plan,
  {
    say = () => undefined,
    code = async () => null,
    secrets,
    runnerOn = openRunners(home, say),
    archive = () => buildAgent(join(home.root, 'agent')),
  }: OpenTargetOptions = {},
): Target {
  const bundle = once(async () => buildBundle(await archive(), await code()));
  const uv = () => ensureUv(home.environments, say, new AbortController().signal);
  const store = declared ?? undefined;
  const provisions = { bundle, uv, study: once(() => originOf(study)), say, store };
  switch (runsOn.kind) {
    case 'local':
      return openLocalTarget(home, study);
    case 'ssh':
      return openSshTarget(name, runsOn, runnerOn, provisions);
    case 'slurm':
      return openSlurm(name, runsOn, { ...provisions, openRunner: runnerOn, secrets });
  }
}

/** The ledger's own name, without the part that all have: what it started on a node is found by it. */
async function originOf({ ledger }: StudyHome): Promise<string> {
  const origin = (await readFile(join(ledger, 'origin'), 'utf8')).trim();
  return basename(origin);
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
