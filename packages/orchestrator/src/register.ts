import { type Plan, stableJson } from '@her/configs';
import { type EntryBody, getBlob, type Ledger } from '@her/ledger';
import { fold, type StudyState } from './reconcile/state.ts';
import type { PlannedStudy } from './study-file.ts';

/** Plans with more jobs than this are kept in the blob only. */
const jobsInline = 300;

/** Records the study and its plan before anything of it runs; a changed study is an amendment, never a rewrite. */
export async function registerStudy(ledger: Ledger, state: StudyState, planned: PlannedStudy): Promise<void> {
  const { plan, text } = planned;
  const former = state.registered;
  if (former?.digest === plan.digest) return;
  const jobs = plan.jobs.map(({ id, name, stage, arm, seed }) => ({ id, name, stage, arm, seed }));
  const body = {
    study: plan.study,
    name: plan.study,
    digest: plan.digest,
    fileBlob: await ledger.putBlob(text),
    planBlob: await ledger.putBlob(stableJson(plan)),
    ...(jobs.length <= jobsInline ? { jobs } : {}),
  };
  const entry: EntryBody =
    former === null
      ? { kind: 'study.registered', ...body }
      : {
          kind: 'study.amended',
          ...body,
          was: former.digest,
          changed: changedJobs(await formerJobs(ledger, former), jobs),
        };
  for (const written of await ledger.append([entry])) fold(state, written);
}

type Registered = NonNullable<StudyState['registered']>;
type NamedJob = { id: string; name: string };

/** A large plan's jobs are in its blob only. */
async function formerJobs(ledger: Ledger, former: Registered): Promise<readonly NamedJob[]> {
  if (former.jobs !== undefined) return former.jobs;
  const plan = JSON.parse((await getBlob(ledger.dir, former.planBlob)).toString('utf8')) as Plan;
  return plan.jobs;
}

function changedJobs(before: readonly NamedJob[], after: readonly NamedJob[]): string[] {
  const old = new Map(before.map(({ name, id }) => [name, id]));
  const now = new Map(after.map(({ name, id }) => [name, id]));
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
}
