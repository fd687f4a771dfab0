import type { Failure } from '../../failure-kinds.ts';
import type { JobState } from './job-state.ts';

/** A reason that an attempt can end with in Slurm, and what it means. */
export type SlurmEnding = Failure & { reason: string };

const goesOn = 'It goes on from the last whole checkpoint.';

/** Matched by the reason that the end record holds. The time limit stands in failures.ts: other schedulers have one too. */
export const slurmEndings: readonly SlurmEnding[] = [
  {
    reason: 'preempted',
    class: 'infrastructure',
    cause: 'Slurm preempted its job for another one',
    remedy: goesOn,
    policy: 'retry',
  },
  {
    reason: 'node-fail',
    class: 'infrastructure',
    cause: 'a node of its job failed',
    remedy: goesOn,
    policy: 'retry',
  },
  {
    reason: 'boot-fail',
    class: 'infrastructure',
    cause: 'a node of its job could not be booted',
    remedy: goesOn,
    policy: 'retry',
  },
  {
    reason: 'requeued',
    class: 'infrastructure',
    cause: 'its job was put back into the queue by Slurm, which ends the attempt',
    remedy: goesOn,
    policy: 'retry',
  },
  {
    reason: 'told-to-end',
    class: 'infrastructure',
    cause: 'it was told to end (SIGTERM), and nobody said why',
    remedy: goesOn,
    policy: 'retry',
  },
  {
    reason: 'job-gone',
    class: 'infrastructure',
    cause: 'Slurm knows nothing of its job any more',
    remedy: goesOn,
    policy: 'retry',
  },
  {
    reason: 'no-secrets',
    class: 'infrastructure',
    cause: 'nobody brought the secrets that it needs: `her` was not running when its job started',
    remedy: 'It is submitted again; leave `her run` running until its job has started.',
    policy: 'retry',
  },
  {
    reason: 'out-of-memory',
    class: 'resource',
    cause: 'it took more memory than its job was given, and was ended',
    remedy: 'Raise `memory_gb` of the target, or lower the batch; then `her resume JOB` and `her run`.',
    policy: 'stop',
  },
  {
    reason: 'deadline',
    class: 'resource',
    cause: 'the deadline that Slurm was given for its job passed',
    remedy: 'Change `deadline` among the options of the target; then `her resume JOB` and `her run`.',
    policy: 'stop',
  },
  {
    reason: 'cancelled',
    class: 'stopped',
    cause: 'its job was cancelled in Slurm, not by `her stop`',
    remedy: '`her resume JOB` lifts the stop; `her run` then goes on from the last whole checkpoint.',
    policy: 'stop',
  },
  {
    reason: 'not-started',
    class: 'configuration',
    cause: 'its job ended before the agent began',
    remedy: 'The last lines of its job say why; mend it, then `her resume JOB` and `her run`.',
    policy: 'stop',
  },
];

const reasons: Readonly<Record<string, string>> = {
  TIMEOUT: 'time-limit',
  PREEMPTED: 'preempted',
  OUT_OF_MEMORY: 'out-of-memory',
  NODE_FAIL: 'node-fail',
  BOOT_FAIL: 'boot-fail',
  LAUNCH_FAILED: 'boot-fail',
  RECONFIG_FAIL: 'boot-fail',
  DEADLINE: 'deadline',
  CANCELLED: 'cancelled',
  REVOKED: 'cancelled',
  GONE: 'job-gone',
};

/** The code with which a node's part of an attempt refuses a second life of its job. */
const refused = 75;

/**
 * Why an attempt is over that left no end of its own, from what Slurm says of its job. `begun`: its agent was there.
 * `agent-lost` is the reason that has no word of Slurm's: the job ended like any program.
 */
export function endingOf(state: JobState, begun: boolean): { reason: string; message: string } {
  const reason = reasonOf(state, begun);
  const nodes = state.nodes === null ? '' : ` on ${state.nodes}`;
  const by = state.by === null ? '' : ` by user ${state.by}`;
  const code = state.exitCode === null || state.exitCode === 0 ? '' : `, exit code ${state.exitCode}`;
  const gone = state.is === 'over' ? 'its array goes on without it' : 'no such job';
  const said = state.word === 'GONE' ? gone : `${state.word}${by}${nodes}${code}`;
  return { reason, message: `Slurm says of its job: ${said}` };
}

function reasonOf({ is, word, outOfMemory, exitCode }: JobState, begun: boolean): string {
  if (word === 'GONE' && is === 'over' && !begun) return 'cancelled';
  const known = reasons[word];
  if (known !== undefined && known !== 'job-gone') return known;
  if (outOfMemory) return 'out-of-memory';
  if (exitCode === refused) return 'requeued';
  if (known !== undefined) return known;
  return begun ? 'agent-lost' : 'not-started';
}
