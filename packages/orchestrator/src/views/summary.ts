import type { Job, Plan } from '@her/configs';
import { type CheckpointLine, readEntries } from '@her/ledger';
import type { RetryPolicy } from '../reconcile/decide.ts';
import type { Outcome } from '../reconcile/loop.ts';
import { isDone, type StudyState, succeeded } from '../reconcile/state.ts';
import { table } from './table.ts';
import { jobRows } from './tree.ts';
import { printable, short } from './words.ts';

type Score = {
  metric: string;
  of: string;
  seed: number | string | null;
  value: number | string;
  n: number | null;
  arm: string | undefined;
};

/** What `her run` says at its end: jobs, seeds, scores, checkpoints, the ledger's root, what to do next. */
export async function printSummary(options: {
  plan: Plan;
  state: StudyState;
  policy: RetryPolicy;
  outcome: Outcome;
  head: CheckpointLine;
  detached: boolean;
  json: boolean;
  ledgerDir: string;
}): Promise<void> {
  const { plan, state, outcome, head, detached } = options;
  const scores = await readScores(plan, state, options.ledgerDir);
  if (options.json) {
    const jobs = outcome.map(({ job, standing }) => ({
      id: job.id,
      name: job.name,
      seed: job.seed,
      ...standing,
      attempt: undefined,
    }));
    process.stdout.write(
      `${JSON.stringify({ study: plan.study, detached, jobs, scores, ledger: { size: head.size, root: head.root } })}\n`,
    );
    return;
  }
  const rows = jobRows(plan, state, options.policy, new Map(), Date.now());
  const done = rows.filter(({ word }) => word === 'done').length;
  const lines = [`${plan.study}: ${done} of ${plan.jobs.length} jobs done`, ''];
  const detail = (job: Job): string =>
    outcomeText(outcome, job) ?? rows.find((row) => row.job.id === job.id)?.detail ?? '';
  lines.push(
    table(
      ['job', 'state', 'seed', 'reproducible', 'checkpoints', 'last'],
      rows.map(({ job, word }) => [
        job.name,
        word,
        seedText(job),
        job.reproducibility.level,
        checkpointText(state, job),
        detail(job),
      ]),
    ),
  );
  if (scores.length > 0) lines.push('', scoreTable(scores));
  lines.push(
    '',
    `ledger  ${head.size} entries, root ${head.root}`,
    `        ${options.ledgerDir}`,
    '',
    ...nextSteps(plan, options.outcome, detached),
  );
  process.stdout.write(`${lines.map(printable).join('\n')}\n`);
}

function outcomeText(outcome: Outcome, job: Job): string | undefined {
  const standing = outcome.find((item) => item.job.id === job.id)?.standing;
  return standing?.is === 'failed' ? standing.why : undefined;
}

function seedText(job: Job): string {
  return job.seed === null ? '–' : String(job.seed);
}

function checkpointText(state: StudyState, job: Job): string {
  const steps = (state.jobs.get(job.id)?.attempts ?? []).flatMap((attempt) =>
    attempt.checkpoints.map(({ step }) => step),
  );
  return [...new Set(steps)].sort((a, b) => a - b).join(', ') || '–';
}

/** Scores of the attempts that count: the successful one of each job of the plan. */
async function readScores(plan: Plan, state: StudyState, dir: string): Promise<Score[]> {
  const evaluated = plan.jobs.filter((job) => job.kind === 'evaluate' && isDone(state.jobs.get(job.id)));
  if (evaluated.length === 0) return [];
  const counted = new Set(evaluated.map((job) => state.jobs.get(job.id)?.attempts.find(succeeded)?.id));
  const scores: Score[] = [];
  for await (const entry of readEntries(dir)) {
    if (entry.kind !== 'score' || !counted.has(entry.attempt)) continue;
    const { metric, of, seed, value, n, arm } = entry;
    scores.push({ metric, of, seed, value, n, arm });
  }
  return scores;
}

/** A row for each model, arm and seed; the arm is shown where there are several. */
function scoreTable(scores: readonly Score[]): string {
  const metrics = [...new Set(scores.map(({ metric }) => metric))];
  const several = new Set(scores.map(({ arm }) => arm)).size > 1;
  const keyOf = ({ of, seed, arm }: Score): string => JSON.stringify([of, arm, seed]);
  const firsts = scores.filter(
    (score, i) => scores.findIndex((other) => keyOf(other) === keyOf(score)) === i,
  );
  const rows = firsts.map((first) => {
    const own = scores.filter((score) => keyOf(score) === keyOf(first));
    return [
      first.of,
      ...(several ? [first.arm ?? ''] : []),
      String(first.seed),
      ...metrics.map((metric) => numberText(own.find((score) => score.metric === metric)?.value)),
      String(first.n),
    ];
  });
  return table(['model', ...(several ? ['arm'] : []), 'seed', ...metrics, 'n'], rows);
}

function numberText(value: number | string | undefined): string {
  return value === undefined ? '–' : short(value);
}

function nextSteps(plan: Plan, outcome: Outcome, detached: boolean): string[] {
  if (detached)
    return [
      'let go; the trainers go on.',
      'next    her run    attaches again',
      '        her status | her logs JOB -f | her stop',
    ];
  const failed = outcome.find(({ standing }) => standing.is === 'failed')?.job.name;
  const stopped = outcome.find(({ standing }) => standing.is === 'stopped')?.job.name;
  const trouble = failed ?? stopped;
  if (trouble !== undefined)
    return [`next    her logs ${trouble}`, `        her resume ${trouble}   then her run again`];
  const last = plan.jobs.at(-1)?.name ?? '';
  return ['next    her audit seeds', '        her ledger verify', `        her logs ${last}`];
}
