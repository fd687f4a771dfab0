import { expect, test } from 'vitest';
import { loadedStudy } from '../testing-study.ts';
import { studyFindings } from './study.ts';

const findings = (study: string) => studyFindings({ loaded: loadedStudy(study) });

const question = (answer: string) => `questions:
  which: { ask: Which rows?, facts: [the paper names none, the code 320], settles: [data.rows.path]${answer} }
`;

test('a question that is open fails, with its facts', () => {
  expect(findings(question(''))).toEqual([
    {
      check: 'questions',
      node: null,
      status: 'fail',
      what: 'which: Which rows?',
      remedy: 'Write its `answer` into the study file.',
      why: 'the paper names none · the code 320',
    },
  ]);
});

test('questions that are answered pass, and a study without any has no finding', () => {
  expect(findings(question(', answer: the 320'))).toEqual([
    { check: 'questions', node: null, status: 'ok', what: '1 answered' },
  ]);
  expect(findings('')).toEqual([]);
});

test("a start that is not the paper's is told whenever the study is looked at", () => {
  const other = {
    base: '{ value: /m, origin: user, evidence: no base model is named, deviates_from_paper: true }',
  };
  const found = studyFindings({ loaded: loadedStudy('', other) });
  expect(found).toEqual([
    expect.objectContaining({
      check: 'base model',
      status: 'warn',
      what: "models.base.path is not the paper's: no base model is named",
      remedy: expect.stringContaining('must not be called a reproduction'),
    }),
  ]);
});
