import type { Job } from '@her/configs';
import type { EntryBodyOf } from '@her/ledger';
import type { AttemptState } from './state.ts';
import { record, type World } from './world.ts';

type Verdict = Required<
  Pick<EntryBodyOf<'attempt.ended'>, 'reason' | 'class' | 'cause' | 'remedy' | 'policy'>
>;

/** Records the end of an attempt that has no agent to tell of it. Only for what is proven not to run. */
export async function bury(world: World, job: Job, attempt: AttemptState, verdict: Verdict): Promise<void> {
  await record(world, [
    {
      kind: 'attempt.ended',
      study: world.plan.study,
      job: job.id,
      attempt: attempt.id,
      node: world.target.node,
      seq: attempt.lastSeq,
      code: null,
      signal: null,
      tailBlob: null,
      lastStep: attempt.lastStep,
      ...verdict,
    },
  ]);
}
