import type { Plan } from '@her/configs';
import { HerError } from '../errors.ts';
import type { Home, StudyHome } from '../home.ts';
import type { Capacity } from '../reconcile/capacity.ts';
import { openLocalTarget } from './local/local-target.ts';
import type { Target } from './target.ts';

/** Opens the place that a plan runs on. Nothing is connected to or started by that. */
export function openTarget(home: Home, study: StudyHome, plan: Plan): Target {
  const { runsOn } = plan;
  if (runsOn.kind === 'local') return openLocalTarget(home, study);
  throw new HerError(
    'TARGET_UNSUPPORTED',
    `a target of kind ${runsOn.kind} cannot be run on by this version`,
  );
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
