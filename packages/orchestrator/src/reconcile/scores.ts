import type { EntryBody } from '@her/ledger';
import { z } from 'zod';
import type { TranslateContext } from './translate.ts';

const number = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]);

/** What the evaluate stage writes to `out/scores.json`. */
const scoreFile = z.array(
  z.object({
    metric: z.string(),
    of: z.string(),
    value: number,
    n: z.int().nullable(),
    stderr: number.nullable(),
  }),
);

/** Scores that are not in the ledger yet, from the text of `out/scores.json`. */
export function scoreEntries(text: string, { study, job, attempt }: TranslateContext): EntryBody[] {
  return scoreFile
    .parse(JSON.parse(text))
    .filter((score) => !attempt.scores.includes(`${score.metric} ${score.of}`))
    .map((score) => ({
      kind: 'score',
      study,
      job: job.id,
      attempt: attempt.id,
      seed: job.seed,
      arm: job.arm,
      ...score,
    }));
}
