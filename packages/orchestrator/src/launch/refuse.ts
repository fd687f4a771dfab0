import { openQuestions, type Plan } from '@her/configs';
import { exitCodes, HerError } from '../errors.ts';
import { latestAttempt, type StudyState } from '../reconcile/state.ts';
import type { PlannedStudy } from '../study-file.ts';

/** What only a person can decide, and what this program cannot do yet, is said before anything is written. */
export function refuseUndecided({ loaded, study }: PlannedStudy): void {
  const open = openQuestions(loaded.questions);
  if (open.length > 0) {
    const asked = open.map(([name, { ask }]) => `${name}: ${ask}`).join(' ');
    throw new HerError('STUDY_UNDECIDED', `questions without an answer: ${asked}`);
  }
  if (study.target.kind === 'local' && study.target.device === 'cuda')
    throw new HerError('TARGET_UNSUPPORTED', 'a local target with GPUs cannot be run on by this version', {
      hint: 'Reach this machine over SSH: `kind: ssh`, `hosts: [localhost]`.',
    });
}

/** A job that still runs under a former version of the study has no place in this plan: a person must choose. */
export function refuseStrangers(plan: Plan, state: StudyState): void {
  const ids = new Set<string>(plan.jobs.map(({ id }) => id));
  const strangers = [...state.jobs.values()].filter(
    (job) => !ids.has(job.id) && latestAttempt(job)?.ended === null,
  );
  if (strangers.length === 0) return;
  throw new HerError(
    'RUN_IN_PROGRESS',
    `the study was changed while jobs of its former version run: ${strangers.map(({ id }) => id).join(', ')}`,
    {
      hint: `Stop them first: her stop --study ${plan.study}. Or put the former study file back.`,
      exitCode: exitCodes.waiting,
    },
  );
}
