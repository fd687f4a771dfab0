import { expect, test } from 'vitest';
import { proveResume, type ResumeEvidence } from './resume-proof.ts';

const step41 = { learning_rate: 0.0025, loss: 1.25, epoch: 0.65 };
const evidence = (more: Partial<ResumeEvidence>): ResumeEvidence => ({
  from: 40,
  first: { step: 41, maxSteps: 189, values: step41 },
  before: { maxSteps: 189, values: step41 },
  at: { learning_rate: 0.00252 },
  start: { learning_rate: 0.0003 },
  level: 'bitwise',
  ...more,
});

test('a step that repeats what the earlier attempt logged proves the resume', () => {
  const { status, checks } = proveResume(evidence({}));
  expect(status).toBe('proved');
  expect(checks.map(({ what, status: is }) => [what, is])).toEqual([
    ['first step', 'agrees'],
    ['steps in all', 'agrees'],
    ['learning rate', 'agrees'],
    ['place in the data', 'agrees'],
    ['loss', 'agrees'],
  ]);
});

test.each([
  ['another first step', { first: { step: 42, maxSteps: 189, values: step41 } }],
  ['another length of the run', { first: { step: 41, maxSteps: 200, values: step41 } }],
  [
    'another learning rate',
    { first: { step: 41, maxSteps: 189, values: { ...step41, learning_rate: 0.0003 } } },
  ],
  ['another place in the data', { first: { step: 41, maxSteps: 189, values: { ...step41, epoch: 0.01 } } }],
  [
    'another loss, in a bitwise stage',
    { first: { step: 41, maxSteps: 189, values: { ...step41, loss: 2 } } },
  ],
])('%s leaves it unproven', (_, more) => {
  expect(proveResume(evidence(more)).status).toBe('resume-unproven');
});

test('another loss is no objection where the stage is only seeded', () => {
  const first = { step: 41, maxSteps: 189, values: { ...step41, loss: 2 } };
  expect(proveResume(evidence({ first, level: 'seeded' })).status).toBe('proved');
});

test('without an earlier log of the step, a schedule that began anew is told by its learning rate', () => {
  expect(proveResume(evidence({ before: null })).status).toBe('proved');
  const restarted = { step: 41, maxSteps: 189, values: { ...step41, learning_rate: 0.0003 } };
  expect(proveResume(evidence({ before: null, first: restarted })).status).toBe('resume-unproven');
});

test('nothing to compare with is unproven, not proved', () => {
  expect(proveResume(evidence({ before: null, at: null, start: null })).status).toBe('resume-unproven');
});
