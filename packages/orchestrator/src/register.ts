import { stableJson } from '@her/configs';
import type { EntryBody, Ledger } from '@her/ledger';
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
      : { kind: 'study.amended', ...body, was: former.digest, changed: changedJobs(former.jobs ?? [], jobs) };
  for (const written of await ledger.append([entry])) fold(state, written);
}

function changedJobs(
  before: readonly { id: string; name: string }[],
  after: readonly { id: string; name: string }[],
): string[] {
  const old = new Map(before.map(({ name, id }) => [name, id]));
  const now = new Map(after.map(({ name, id }) => [name, id]));
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
}
