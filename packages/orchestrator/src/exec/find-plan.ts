import { existsSync } from 'node:fs';
import type { Plan } from '@her/configs';
import { absolute, callerDirectory, type Home, type StudyHome } from '../home.ts';
import { emptyState, type StudyState } from '../reconcile/state.ts';
import { readRecorded } from '../session.ts';
import { openStudyFile } from '../study-file.ts';

export type FoundPlan = { plan: Plan; state: StudyState; home: StudyHome };

/** A study by its file as it is now, or as it was recorded by that name. */
export async function findPlan(home: Home, named: string | undefined, target?: string): Promise<FoundPlan> {
  const isFile = named !== undefined && existsSync(absolute(named, callerDirectory())) && /[./]/.test(named);
  if (!isFile) {
    const { plan, state, home: places } = await readRecorded(home, named);
    return { plan, state, home: places };
  }
  const { plan } = await openStudyFile(named, callerDirectory(), { target, hash: false });
  return { plan, state: emptyState(), home: home.study(plan.study) };
}
