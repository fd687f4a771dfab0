import { PassThrough } from 'node:stream';
import { InvalidStudyError } from '@her/configs';
import { LedgerError } from '@her/ledger';
import { expect, test } from 'vitest';
import { HerError } from './errors.ts';
import { reportError } from './report-error.ts';

function report(error: unknown): { code: number; text: string } {
  const stream = new PassThrough();
  const code = reportError(error, stream);
  return { code, text: String(stream.read() ?? '') };
}

test('a study: every mistake on a line of its own, and that nothing was started', () => {
  const place = { file: 's.yaml', line: 3, column: 5, key: 'seeds' };
  const error = new InvalidStudyError([{ code: 'STUDY_WRONG_TYPE', message: 'no.', hint: 'Do.', place }]);
  expect(report(error)).toEqual({
    code: 2,
    text: 's.yaml:3:5  seeds: no. Do. [STUDY_WRONG_TYPE]\n1 mistake; nothing was started.\n',
  });
});

test('an error that a person can act on: message, code, hint, and no stack', () => {
  const { code, text } = report(new HerError('DISK_FULL', 'full', { hint: 'free some', exitCode: 5 }));
  expect({ code, text }).toEqual({ code: 5, text: 'her: full [DISK_FULL]\nfree some\n' });
});

test('every error says what to do next, and none that a person can act on looks like a mistake of ours', () => {
  const refused = new HerError('AGENT_FAILED', 'no', { hint: '', agentCode: 'bad-request' });
  expect(refused).toMatchObject({ exitCode: 8, agentCode: 'bad-request' });
  expect(refused.hint).toContain('her status');
  expect(new HerError('AGENT_UNREACHABLE', 'no')).toMatchObject({ exitCode: 7, hint: expect.any(String) });
});

test('a ledger that another one writes is something to wait for', () => {
  expect(report(new LedgerError('LEDGER_LOCKED', 'busy')).code).toBe(7);
  expect(report(new LedgerError('LEDGER_CORRUPT', 'bad')).code).toBe(6);
});

test('a mistake of ours shows its stack', () => {
  const { code, text } = report(new TypeError('oops'));
  expect(code).toBe(1);
  expect(text).toContain('report-error.test.ts');
});

test('a key, a path or a question with a line break in it stays on the line of its error', () => {
  const place = { file: 's\n.yaml', line: 3, column: 5, key: 'stages.a\nb' };
  const study = new InvalidStudyError([{ code: 'STUDY_WRONG_TYPE', message: 'no\u001b[2J.', place }]);
  expect(report(study).text).toBe(
    's .yaml:3:5  stages.a b: no�[2J. [STUDY_WRONG_TYPE]\n1 mistake; nothing was started.\n',
  );
  const told = report(new HerError('STUDY_UNDECIDED', 'open: a\nb', { hint: 'see\nher plan' }));
  expect(told.text).toBe('her: open: a b [STUDY_UNDECIDED]\nsee her plan\n');
});
