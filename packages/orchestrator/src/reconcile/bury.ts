import type { Job } from '@her/configs';
import type { EntryBodyOf } from '@her/ledger';
import { type AttemptState, seqOf } from './state.ts';
import { record, type World } from './world.ts';

/** Why an attempt, or a node's part of it, is over. */
export type Verdict = Required<
  Pick<EntryBodyOf<'attempt.ended'>, 'reason' | 'class' | 'cause' | 'remedy' | 'policy'>
>;

export const stoppedBefore: Verdict = {
  reason: 'stopped',
  class: 'stopped',
  cause: 'it was stopped before it was started',
  remedy: '`her resume JOB` lifts the stop.',
  policy: 'stop',
};

/** Records the end of an attempt that has no agent to tell of it. Only for what is proven not to run. */
export async function bury(world: World, job: Job, attempt: AttemptState, verdict: Verdict): Promise<void> {
  const node = attempt.nodes[0] ?? world.target.name;
  await record(world, [{ kind: 'attempt.ended', ...untold(world, job, attempt, node), ...verdict }]);
}

/** The same of one node of a gang. */
export async function buryNode(
  world: World,
  job: Job,
  attempt: AttemptState,
  node: string,
  verdict: Verdict,
): Promise<void> {
  await record(world, [{ kind: 'node.ended', ...untold(world, job, attempt, node), ...verdict }]);
}

function untold(world: World, job: Job, attempt: AttemptState, node: string) {
  return {
    study: world.plan.study,
    job: job.id,
    attempt: attempt.id,
    node,
    seq: seqOf(attempt, node),
    code: null,
    signal: null,
    tailBlob: null,
    lastStep: attempt.lastStep,
  };
}
