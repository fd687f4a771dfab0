import type { Plan } from '@her/configs';
import { HerError } from '../errors.ts';
import { findJob } from '../find-job.ts';
import type { CheckpointHistory, KnownCheckpoint } from './history.ts';
import { newestFirst } from './saved.ts';

/**
 * The checkpoint that a person means: `sft/11@40`, `sft/11@latest`, `sft/11`, `ATTEMPT@40`, or the start of a digest.
 * Of two with one step, the later attempt's.
 */
export function findCheckpoint(
  plan: Plan,
  { checkpoints }: CheckpointHistory,
  wanted: string,
): KnownCheckpoint {
  const all = [...checkpoints.values()].toSorted(newestFirst);
  const [owner = '', step = 'latest'] = wanted.split('@', 2);
  if (!wanted.includes('@') && /^[0-9a-f]{8,64}$/.test(wanted)) {
    const found = all.filter(({ digest }) => digest.startsWith(wanted));
    const digests = new Set(found.map(({ digest }) => digest));
    if (digests.size > 1) throw notFound(`${wanted} begins the digests of ${digests.size} checkpoints`, all);
    if (found[0] !== undefined) return found.find(isThere) ?? found[0];
  }
  const ofAttempt = all.filter(({ attempt }) => attempt === owner);
  const of = ofAttempt.length > 0 ? ofAttempt : jobs(plan, all, owner);
  if (step === 'latest') {
    const found = of.find((one) => isThere(one) && !one.setAside);
    if (found === undefined) throw notFound(`${owner} has no whole checkpoint`, of);
    return found;
  }
  const found = of.find((one) => String(one.step) === step);
  if (found === undefined) throw notFound(`${owner} has no checkpoint of step ${step}`, of);
  return found;
}

function jobs(plan: Plan, all: readonly KnownCheckpoint[], owner: string): KnownCheckpoint[] {
  const { id } = findJob(plan, owner);
  return all.filter(({ job }) => job === id);
}

/** Whether it may still be had, as far as the ledger knows. */
function isThere({ stored, removed }: KnownCheckpoint): boolean {
  return !removed.node || (stored !== null && !removed.store);
}

function notFound(message: string, there: readonly KnownCheckpoint[]): HerError {
  const steps = there.slice(0, 10).map(({ attempt, step }) => `${attempt}@${step}`);
  const hint = steps.length === 0 ? {} : { hint: `There are: ${steps.join(', ')}.` };
  return new HerError('CHECKPOINT_NOT_FOUND', message, hint);
}
