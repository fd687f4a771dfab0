import { tableLines } from '../table.ts';
import type { ShownPlan } from './shown.ts';

/** Each random source of each stage with its value by root seed. Arms of one stage share them, so they are said once. */
export function seedsLines({ plan, study }: ShownPlan): string[] {
  const rows: string[][] = [];
  for (const stage of new Set(plan.jobs.map((job) => job.stage))) {
    const jobs = plan.jobs.filter((job) => job.stage === stage);
    const first = jobs[0];
    for (const { source, effect, drives } of first?.seeds ?? []) {
      const value = (root: number | null): string => {
        const job = jobs.find(({ seed }) => seed === root || seed === null);
        const found = job?.seeds.find((row) => row.source === source)?.value;
        return found === undefined || found === null ? '–' : String(found);
      };
      rows.push([stage, source, ...study.seeds.map(value), effect, drives]);
    }
  }
  const stages = plan.jobs.map(
    ({ stage, reproducibility: { level, why } }) => `  ${stage}: ${level} (${why})`,
  );
  const head = ['stage', 'source', ...study.seeds.map(String), 'effect', 'drives'];
  return [...tableLines(head, rows), '', 'reproducible', ...new Set(stages)];
}
