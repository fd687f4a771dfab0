import type { Job, Plan } from '@her/configs';
import { type JobStanding, type RetryPolicy, standing } from '../reconcile/decide.ts';
import { latestAttempt, type StudyState } from '../reconcile/state.ts';
import { duration, oneLine, stepText, timeLeft, watched } from './words.ts';

/** One job as a row of the tree. */
export type JobRow = {
  job: Job;
  standing: JobStanding;
  mark: string;
  /** One word: the same in the tree, in `her status` and in its JSON. */
  word: 'done' | 'running' | 'ready' | 'waiting' | 'blocked' | 'failed' | 'stopped' | 'unknown';
  detail: string;
};

/** Since when an attempt's node could not be asked, by job id. */
export type UnknownSince = ReadonlyMap<string, Date>;

/** What attempts that are in a scheduler's queue wait for, by job id. */
export type Queued = ReadonlyMap<string, string>;

const marks: Record<JobRow['word'], string> = {
  done: '✔',
  running: '▸',
  ready: '·',
  waiting: '·',
  blocked: '–',
  failed: '✘',
  stopped: '■',
  unknown: '?',
};

export function jobRows(
  plan: Plan,
  state: StudyState,
  policy: RetryPolicy,
  unknown: UnknownSince,
  now: number,
  queued: Queued = new Map(),
): JobRow[] {
  return plan.jobs.map((job) => {
    const now_ = standing(plan, state, job, policy);
    const { word, detail } = describe(job, now_, state, unknown, now, queued);
    return { job, standing: now_, mark: marks[word], word, detail };
  });
}

function describe(
  job: Job,
  is: JobStanding,
  state: StudyState,
  unknown: UnknownSince,
  now: number,
  queued: Queued,
): { word: JobRow['word']; detail: string } {
  switch (is.is) {
    case 'live': {
      const since = unknown.get(job.id);
      const { attempt } = is;
      const retry = attempt.number > 1 ? `attempt ${attempt.number}` : '';
      if (since !== undefined)
        return { word: 'unknown', detail: join(`unknown since ${since.toISOString()}`, stepText(attempt)) };
      const waits = queued.get(job.id);
      if (waits !== undefined) return { word: 'waiting', detail: join(waits, retry) };
      const left = timeLeft(attempt, now);
      return {
        word: 'running',
        detail: join(
          stepText(attempt),
          watched(job, attempt),
          left === undefined ? '' : `${duration(left)} left`,
          retry,
        ),
      };
    }
    case 'done': {
      const attempts = state.jobs.get(job.id)?.attempts ?? [];
      const attempt = attempts.findLast(({ ended }) => ended?.code === 0);
      const tries = attempts.length > 1 ? `${attempts.length} attempts` : '';
      return {
        word: 'done',
        detail:
          attempt === undefined
            ? ''
            : join(attempt.lastStep === null ? '' : stepText(attempt), watched(job, attempt), tries),
      };
    }
    case 'waiting':
      return { word: 'waiting', detail: `for ${is.for.join(', ')}` };
    case 'blocked':
      return { word: 'blocked', detail: `by ${is.by.join(', ')}` };
    case 'failed':
      return { word: 'failed', detail: is.why };
    case 'stopped': {
      const attempt = latestAttempt(state.jobs.get(job.id));
      return {
        word: 'stopped',
        detail: join(attempt === undefined ? '' : stepText(attempt), '`her resume` lifts it'),
      };
    }
    case 'ready':
      return { word: 'ready', detail: is.why };
  }
}

/** The rows as lines, grouped by stage, cut to the width of the terminal. */
export function treeLines(rows: readonly JobRow[], width: number): string[] {
  const stages = [...new Set(rows.map(({ job }) => job.stage))];
  const several = new Set(rows.map(({ job }) => job.arm)).size > 1;
  const labelOf = ({ job }: JobRow): string => `${several ? `${job.arm} ` : ''}seed ${job.seed}`;
  const room = Math.max(12, ...rows.filter(({ job }) => job.seed !== null).map((row) => labelOf(row).length));
  return stages
    .flatMap((stage) => {
      const members = rows.filter(({ job }) => job.stage === stage);
      const single = members.length === 1 && members[0]?.job.seed === null;
      const lines = members.map((row, i) => {
        const branch = single ? '' : i === members.length - 1 ? '└ ' : '├ ';
        const label = single ? stage : labelOf(row);
        return `${row.mark} ${branch}${label.padEnd(room + (single ? 2 : 0))} ${row.word.padEnd(8)} ${row.detail}`;
      });
      return single ? lines : [`  ${stage}`, ...lines];
    })
    .map(oneLine)
    .map((line) => (line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line));
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}
