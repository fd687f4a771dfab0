import type { JobCost, Question } from '@her/configs';
import type { PlannedStudy } from '../../study-file.ts';

/** A plan with its costs, ready to be shown. `file`: as the person wrote it. */
export type ShownPlan = PlannedStudy & {
  /** By `ARM/STAGE`. */
  costs: ReadonlyMap<string, JobCost>;
  open: [name: string, question: Question][];
};
