import type { StudyArm } from '../load/study-arm.ts';
import type { Job } from '../plan/job.ts';
import { valueAt } from '../study/schema-path.ts';
import type { OptionValue, Setting } from '../study/settings.ts';

/**
 * The settings of any job. A trainer's come with the plan; those of a stage of our own are read from its JSON file,
 * whose keys are the study's own words.
 */
export function settingsOf(job: Job, arm: StudyArm): Record<string, Setting> {
  const file = Object.entries(job.files).find(([name]) => name.endsWith('.json'));
  if (Object.keys(job.settings).length > 0 || file === undefined) return job.settings;
  const leaves = leavesOf(JSON.parse(file[1]) as OptionValue, []);
  return Object.fromEntries(
    leaves.map(({ path, value }) => [path.join('.'), { value, ...toldOf(arm, job, path) }]),
  );
}

function toldOf(arm: StudyArm, job: Job, path: string[]): Omit<Setting, 'value'> {
  if (valueAt(arm.study.stages[job.stage], path) === undefined)
    return { origin: 'her', evidence: 'follows from the seed, the inputs or the kind of the stage' };
  return { ...arm.told(['stages', job.stage, ...path]), key: path.join('.') };
}

function leavesOf(node: OptionValue, path: string[]): { path: string[]; value: OptionValue }[] {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return [{ path, value: node }];
  return Object.entries(node).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
