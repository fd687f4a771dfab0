import type { LoadedStudy } from '../load/load.ts';
import type { Job } from '../plan/job.ts';
import { rulesOf } from '../rules/options.ts';
import { valueAt } from '../study/schema-path.ts';
import type { Setting } from '../study/settings.ts';
import type { OptionFacts } from './option-facts.ts';
import type { WordFacts } from './word-facts.ts';

/** What one or several jobs have for an option or a word. `setting: null`: nobody sets it; the trainer's default holds. */
export type JobValue = { jobs: string[]; setting: Setting<unknown> | null };

/** The value of an option in each job of its trainer; jobs that have the same are one. */
export function optionInJobs(facts: OptionFacts, loaded: LoadedStudy, jobs: readonly Job[]): JobValue[] {
  return alike(
    jobs.flatMap((job): JobValue[] => {
      const stage = stageOf(loaded, job);
      const table = stage === undefined ? undefined : rulesOf(stage)?.table;
      if (table?.trainer !== facts.trainer) return [];
      const setting = job.settings[facts.name] ?? null;
      const has = facts.variants.some(({ commands }) => commands.includes(table.command));
      return has || setting !== null ? [{ jobs: [job.name], setting }] : [];
    }),
  );
}

/** The value of a word in each job whose stage has it, or once for a word of the whole study. */
export function wordInJobs(facts: WordFacts, loaded: LoadedStudy, jobs: readonly Job[]): JobValue[] {
  const steps = facts.word.split('.');
  if (steps.includes('NAME')) return [];
  if (facts.stages.length === 0) return wholeStudy(steps, loaded);
  return alike(
    jobs.flatMap((job): JobValue[] => {
      const arm = loaded.arms.find(({ arm: name }) => name === job.arm);
      const stage = stageOf(loaded, job);
      if (arm === undefined || stage === undefined) return [];
      if (!facts.stages.includes(stage.kind)) return [];
      const path = ['stages', job.stage, ...steps];
      const value = valueAt(arm.study, path);
      return value === undefined ? [] : [{ jobs: [job.name], setting: { value, ...arm.told(path) } }];
    }),
  );
}

/** What no arm changes is told once. */
function wholeStudy(path: readonly string[], { arms: [arm] }: LoadedStudy): JobValue[] {
  const value = arm === undefined ? undefined : valueAt(arm.study, path);
  return arm === undefined || value === undefined
    ? []
    : [{ jobs: ['all'], setting: { value, ...arm.told(path) } }];
}

function stageOf({ arms }: LoadedStudy, job: Job) {
  return arms.find(({ arm }) => arm === job.arm)?.study.stages[job.stage];
}

function alike(values: readonly JobValue[]): JobValue[] {
  const groups = new Map<string, JobValue>();
  for (const { jobs, setting } of values) {
    const key = JSON.stringify(setting);
    groups.set(key, { jobs: [...(groups.get(key)?.jobs ?? []), ...jobs], setting });
  }
  return [...groups.values()];
}
