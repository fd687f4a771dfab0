import { type Explanation, explain, type JobValue, optionInJobs, wordInJobs } from '@her/configs';
import { HerError } from '../errors.ts';
import { findJobs } from '../find-job.ts';
import { callerDirectory } from '../home.ts';
import { openStudyFile } from '../study-file.ts';
import { explanationLines, type InStudy } from '../views/explanation.ts';
import { oneLine } from '../views/words.ts';

export type ExplainOptions = { study?: string; job?: string; json: boolean };

/** `her explain`: what an option is, what constrains it, and what a study makes of it. */
export async function explainOption(written: string, options: ExplainOptions): Promise<number> {
  const found = explain(written);
  if (found.options.length === 0 && found.words.length === 0) throw notFound(written, found.near);
  if (options.job !== undefined && options.study === undefined)
    throw new HerError('STUDY_NOT_FOUND', '--job names a job of a study, and none is given', {
      hint: 'Add --study FILE.',
    });
  const inStudy = options.study === undefined ? null : await valuesIn(found, options.study, options.job);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(asJson(found, inStudy))}\n`);
    return 0;
  }
  process.stdout.write(`${explanationLines(found, inStudy).map(oneLine).join('\n')}\n`);
  return 0;
}

async function valuesIn(found: Explanation, file: string, job: string | undefined): Promise<InStudy> {
  const { loaded, plan } = await openStudyFile(file, callerDirectory(), { hash: false });
  const jobs = findJobs(plan, job === undefined ? [] : [job]);
  return {
    study: plan.study,
    options: found.options.map((facts) => optionInJobs(facts, loaded, jobs)),
    words: found.words.map((facts) => wordInJobs(facts, loaded, jobs)),
  };
}

function asJson(found: Explanation, inStudy: InStudy | null): object {
  const { asked, options, words, alsoEnding } = found;
  const withJobs = <T extends object>(facts: T, values: JobValue[] | undefined) =>
    values === undefined ? facts : { ...facts, jobs: values };
  return {
    asked,
    ...(inStudy === null ? {} : { study: inStudy.study }),
    options: options.map((facts, i) => withJobs(facts, inStudy?.options[i])),
    words: words.map((facts, i) => withJobs(facts, inStudy?.words[i])),
    alsoEnding,
  };
}

function notFound(written: string, near: readonly string[]): HerError {
  const hint = near.length === 0 ? '' : `Nearest: ${near.join(', ')}.`;
  return new HerError(
    'OPTION_NOT_FOUND',
    `no trainer has an option \`${written}\`, nor a study such a word`,
    {
      hint,
    },
  );
}
