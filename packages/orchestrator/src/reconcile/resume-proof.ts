import type { Reproducibility } from '@her/configs';
import type { EntryBodyOf } from '@her/ledger';

type Values = Record<string, number | string>;
type Check = EntryBodyOf<'resume.proved'>['checks'][number];

/** What is known when the first step after a resume has been logged. */
export type ResumeEvidence = {
  /** Step of the checkpoint. */
  from: number;
  first: { step: number; maxSteps: number | null; values: Values };
  /** The same step as an earlier attempt logged it, if one got that far. */
  before: { maxSteps: number | null; values: Values } | null;
  /** The checkpoint's own step as an earlier attempt logged it. */
  at: Values | null;
  /** Step 1 of the job, where a schedule that began anew would stand. */
  start: Values | null;
  level: Reproducibility['level'];
};

const learningRate = ['learning_rate', 'actor/lr'];
const loss = ['loss'];
const position = ['epoch', 'training/epoch'];

/** Names of all the values that a proof may look at. */
export const comparedValues: readonly string[] = [...learningRate, ...loss, ...position];

/**
 * Whether the attempt went on where the checkpoint stood: the step follows, the length of the run is the same, the
 * learning rate and the place in the data are what the earlier attempt had at this step; for a bitwise stage, the
 * loss too. Where no earlier attempt reached the step, the learning rate must at least not be that of a schedule
 * which began anew.
 */
export function proveResume(evidence: ResumeEvidence): {
  status: 'proved' | 'resume-unproven';
  checks: Check[];
} {
  const { from, first, before, level } = evidence;
  const checks: Check[] = [
    same('first step', from + 1, first.step),
    before === null || before.maxSteps === null || first.maxSteps === null
      ? unknown('steps in all')
      : same('steps in all', before.maxSteps, first.maxSteps),
    rate(evidence),
    beside('place in the data', position, before?.values, first.values),
  ];
  if (level === 'bitwise') checks.push(beside('loss', loss, before?.values, first.values));
  const differs = checks.some((check) => check.status === 'differs');
  const essential = checks.filter((check) => ['first step', 'learning rate'].includes(check.what));
  const proved = !differs && essential.every((check) => check.status === 'agrees');
  return { status: proved ? 'proved' : 'resume-unproven', checks };
}

function rate({ first, before, at, start }: ResumeEvidence): Check {
  const found = pick(learningRate, first.values);
  const expected = pick(learningRate, before?.values);
  if (found === undefined) return unknown('learning rate');
  if (expected !== undefined) return same('learning rate', expected, found);
  const last = pick(learningRate, at ?? undefined);
  const began = pick(learningRate, start ?? undefined);
  if (typeof last !== 'number' || typeof began !== 'number' || typeof found !== 'number')
    return unknown('learning rate');
  const continues = Math.abs(found - last) < Math.abs(found - began);
  return { what: 'learning rate', status: continues ? 'agrees' : 'differs', expected: `near ${last}`, found };
}

function beside(what: string, names: readonly string[], before: Values | undefined, now: Values): Check {
  const expected = pick(names, before);
  const found = pick(names, now);
  return expected === undefined || found === undefined ? unknown(what) : same(what, expected, found);
}

function pick(names: readonly string[], values: Values | undefined): number | string | undefined {
  return names.map((name) => values?.[name]).find((value) => value !== undefined);
}

function same(what: string, expected: number | string, found: number | string): Check {
  return { what, status: expected === found ? 'agrees' : 'differs', expected, found };
}

function unknown(what: string): Check {
  return { what, status: 'unknown' };
}
