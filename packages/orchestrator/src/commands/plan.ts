import { openQuestions, planCosts } from '@her/configs';
import { exitCodes } from '../errors.ts';
import { callerDirectory } from '../home.ts';
import { openStudyFile } from '../study-file.ts';
import { planJson } from '../views/plan/json.ts';
import { originsText } from '../views/plan/origins.ts';
import { planText } from '../views/plan/text.ts';

export type PlanOptions = { target?: string; origins: boolean; json: boolean };

/** `her plan STUDY`: what would run, in which order, with which seeds, and what it would cost. Starts nothing. */
export async function plan(file: string, options: PlanOptions): Promise<number> {
  const planned = await openStudyFile(file, callerDirectory(), { target: options.target, hash: false });
  const shown = {
    ...planned,
    file,
    costs: planCosts(planned.loaded, planned.plan),
    open: openQuestions(planned.loaded.questions),
  };
  const text = options.json
    ? JSON.stringify(planJson(shown))
    : options.origins
      ? originsText(shown)
      : planText(shown);
  process.stdout.write(`${text}\n`);
  return exitCodes.done;
}
