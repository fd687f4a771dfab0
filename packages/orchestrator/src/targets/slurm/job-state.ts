import { isRow } from './array-tasks.ts';

/**
 * Where a job stands, in Slurm's own word and in ours. A word that we do not know proves nothing: the job is `active`.
 * Nor does it that Slurm knows no such job: accounting may lag, or a record was purged. That is `unknown`. A task that
 * is missing from an array which Slurm knows is `over`: it does not wait, and it does not run.
 */
export type JobState = {
  is: 'pending' | 'active' | 'over' | 'unknown';
  /** `PENDING`, `NODE_FAIL`, …; `GONE` where Slurm knows of no such job. */
  word: string;
  /** Why it waits, or what Slurm noted of its end. */
  reason: string | null;
  /** When it started or is expected to. */
  start: Date | null;
  /** Slurm's list of nodes, such as `h[6-7]`. */
  nodes: string | null;
  /** Number of the user who cancelled it. */
  by: number | null;
  exitCode: number | null;
  /** Whether one of its steps ran out of memory, whatever the job is called. */
  outOfMemory: boolean;
};

const pendingWords = new Set([
  'PENDING',
  'CONFIGURING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'RESV_DEL_HOLD',
]);
const overWords = new Set([
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'PREEMPTED',
  'TIMEOUT',
  'OUT_OF_MEMORY',
  'NODE_FAIL',
  'BOOT_FAIL',
  'DEADLINE',
  'LAUNCH_FAILED',
  'RECONFIG_FAIL',
  'REVOKED',
]);

export const gone: JobState = {
  is: 'unknown',
  word: 'GONE',
  reason: null,
  start: null,
  nodes: null,
  by: null,
  exitCode: null,
  outOfMemory: false,
};

/** Of a task that its array has no more: cancelled before it began, mostly. */
export const missing: JobState = { ...gone, is: 'over' };

/** `id|state|start|nodes|reason`, times in seconds since 1970; the reason may hold anything. */
export const squeueFormat = '%i|%T|%S|%N|%r';
export const sacctFields = 'JobID,State,ExitCode,Start,NodeList,MaxRSS,ReqMem,Reason';

/** Rows of `squeue --noheader --array --format` by job. Lines that are no rows are passed over. */
export function parseSqueue(text: string): Map<string, JobState> {
  const found = new Map<string, JobState>();
  for (const line of text.split('\n')) {
    const [id = '', word = '', start = '', nodes = '', ...reason] = line.trim().split('|');
    if (!isRow(id) || word === '') continue;
    found.set(id, {
      ...gone,
      is: standingOf(word),
      word,
      reason: told(reason.join('|')),
      start: time(start),
      nodes: told(nodes),
    });
  }
  return found;
}

/** Rows of `sacct --noheader --parsable2` by job; what its steps tell is folded in. */
export function parseSacct(text: string): Map<string, JobState> {
  const found = new Map<string, JobState>();
  const starved = new Set<string>();
  const killed = new Map<string, number>();
  const asked = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [id = '', said = '', exit = '', start = '', nodes = '', most = '', mem = '', ...reason] = line
      .trim()
      .split('|');
    const [word = ''] = said.split(' ');
    const [job = '', step] = id.split('.');
    if (!isRow(job) || word === '') continue;
    if (word === 'OUT_OF_MEMORY') starved.add(job);
    if (step !== undefined) {
      if (exit.endsWith(':9')) killed.set(job, Math.max(killed.get(job) ?? 0, bytes(most) ?? 0));
      continue;
    }
    asked.set(job, bytes(mem) ?? Number.POSITIVE_INFINITY);
    const by = /^CANCELLED by (\d+)$/.exec(said)?.[1];
    const code = /^(\d+):/.exec(exit)?.[1];
    found.set(job, {
      is: standingOf(word),
      word,
      reason: told(reason.join('|')),
      start: time(start),
      nodes: told(nodes),
      by: by === undefined ? null : Number(by),
      exitCode: code === undefined ? null : Number(code),
      outOfMemory: false,
    });
  }
  // Where Slurm itself looks at what steps use (OverMemoryKill), it calls such a step cancelled.
  for (const [job, most] of killed) if (most > (asked.get(job) ?? Number.POSITIVE_INFINITY)) starved.add(job);
  for (const job of starved) {
    const state = found.get(job);
    if (state !== undefined) found.set(job, { ...state, outOfMemory: true });
  }
  return found;
}

/** `190M`, `603228K`, `2Gn`; memory a core (`2Gc`) says nothing of a node. */
function bytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)n?$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * 1024 ** ' KMGT'.indexOf(unit || ' ');
}

function standingOf(word: string): JobState['is'] {
  if (pendingWords.has(word)) return 'pending';
  return overWords.has(word) ? 'over' : 'active';
}

function told(text: string): string | null {
  return ['', 'None', 'N/A', 'Unknown', '(null)', 'None assigned'].includes(text) ? null : text;
}

function time(text: string): Date | null {
  return /^\d+$/.test(text) ? new Date(Number(text) * 1000) : null;
}

/** Where a job stands, for people: of one that waits, why and until when. */
export function standingWords(job: string, { is, word, reason, start }: JobState): string {
  if (word === 'GONE') return `Slurm knows no job ${job}${is === 'over' ? ' in its array' : ''}`;
  if (is !== 'pending') return `job ${job}: ${word.toLowerCase()}`;
  const why = reason === null ? '' : `: ${reason}`;
  const when = start === null ? '' : `; expected to start ${start.toISOString().replace('.000Z', 'Z')}`;
  return `job ${job} waits in Slurm's queue${why}${when}`;
}
