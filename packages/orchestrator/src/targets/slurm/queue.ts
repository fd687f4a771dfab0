import { HerError } from '../../errors.ts';
import { lastWords } from '../agent-answer.ts';
import type { Runner, RunResult } from '../runner.ts';
import { arrayOf, rowOf } from './array-tasks.ts';
import {
  gone,
  type JobState,
  missing,
  parseSacct,
  parseSqueue,
  sacctFields,
  squeueFormat,
} from './job-state.ts';

export type QueueOptions = {
  runner: Pick<Runner, 'run'>;
  /** Milliseconds that an answer of Slurm's is good for, for all who ask. */
  every?: number;
  now?: () => number;
};

/** What Slurm says of jobs. All who ask within a while share one squeue; sacct is asked only of those that left it. */
export type Queue = {
  /** @throws {HerError} `AGENT_UNREACHABLE` where Slurm does not answer, which says nothing about the job */
  stateOf(job: string): Promise<JobState>;
  /** Milliseconds until an answer may differ from the last. */
  readonly every: number;
};

/** `final`: nothing more will be known of it. */
type Answer = { state: JobState; final: boolean };
type Known = Answer & { at: number };

/** Ids of one call, so that no command line grows without bounds. */
const atOnce = 200;
/** A job that nobody has asked of for so many polls is not asked of along with others. */
const forgotten = 12;

export function openQueue({ runner, every = 5_000, now = Date.now }: QueueOptions): Queue {
  const known = new Map<string, Known>();
  const wanted = new Map<string, number>();
  let polling: Promise<void> | undefined;

  const poll = async (): Promise<void> => {
    // Those who ask in the same moment are taken along.
    await Promise.resolve();
    for (const [job, asked] of wanted) if (now() - asked > every * forgotten) wanted.delete(job);
    const jobs = [...wanted.keys()].filter((job) => known.get(job)?.final !== true);
    for (let from = 0; from < jobs.length; from += atOnce)
      for (const [job, answer] of await lookUp(runner, jobs.slice(from, from + atOnce)))
        known.set(job, { ...answer, at: now() });
  };

  const stateOf = async (job: string): Promise<JobState> => {
    wanted.set(job, now());
    for (;;) {
      const found = known.get(job);
      if (found !== undefined && (found.final || now() - found.at < every)) return found.state;
      polling ??= poll().finally(() => {
        polling = undefined;
      });
      await polling;
    }
  };
  return { stateOf, every };
}

async function lookUp(runner: Pick<Runner, 'run'>, jobs: readonly string[]): Promise<Map<string, Answer>> {
  const queued = await slurm(runner, [
    'squeue',
    '--noheader',
    '--array',
    '--states=all',
    `--jobs=${whole(jobs).join(',')}`,
    `--format=${squeueFormat}`,
  ]);
  const unknown = queued.exitCode !== 0 && /invalid job id/i.test(queued.stderr);
  if (queued.exitCode !== 0 && !unknown) throw silent('squeue', queued);
  const inQueue = parseSqueue(queued.stdout);
  const arrays = new Set(whole([...inQueue.keys()]));
  const standing = (job: string): JobState =>
    inQueue.get(job) ?? (arrays.has(arrayOf(job) ?? '') ? missing : gone);
  const over = jobs.filter((job) => ['over', 'unknown'].includes(standing(job).is));
  const { states, disabled } = await accounted(runner, over);
  return new Map(
    jobs.map((job) => {
      const kept = rowOf(states, job);
      // Accounting may lag behind the queue: what is over there is over.
      if (kept?.is === 'over') return [job, { state: kept, final: true }];
      const state = standing(job);
      return [job, { state, final: state.is === 'over' && disabled }];
    }),
  );
}

/** Slurm shows tasks that did not begin to who asks for their array, not for one of them. */
function whole(jobs: readonly string[]): string[] {
  return [...new Set(jobs.map((job) => arrayOf(job) ?? job))];
}

/** Who cancelled a job, and which of its steps ran out of memory, is known to accounting alone. */
async function accounted(
  runner: Pick<Runner, 'run'>,
  jobs: readonly string[],
): Promise<{ states: Map<string, JobState>; disabled: boolean }> {
  if (jobs.length === 0) return { states: new Map(), disabled: false };
  const list = `--jobs=${whole(jobs).join(',')}`;
  const kept = await slurm(runner, ['sacct', '--noheader', '--parsable2', list, `--format=${sacctFields}`]);
  const disabled = /storage is disabled/i.test(kept.stderr);
  if (kept.exitCode !== 0 && !disabled) throw silent('sacct', kept);
  return { states: parseSacct(kept.stdout), disabled };
}

/** Times come as seconds since 1970, words in English, and no variable of a person's shell formats otherwise. */
async function slurm(runner: Pick<Runner, 'run'>, argv: readonly string[]): Promise<RunResult> {
  const clean = ['SQUEUE_FORMAT', 'SQUEUE_FORMAT2', 'SQUEUE_STATES', 'SACCT_FORMAT'].map(
    (name) => `-u${name}`,
  );
  return runner.run(['env', ...clean, 'SLURM_TIME_FORMAT=%s', 'LC_ALL=C', ...argv], { timeout: 60 });
}

function silent(command: string, ended: RunResult): HerError {
  return new HerError('AGENT_UNREACHABLE', `Slurm does not answer ${command}: ${lastWords(ended)}`);
}
