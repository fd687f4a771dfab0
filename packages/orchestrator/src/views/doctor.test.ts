import { expect, test } from 'vitest';
import type { Finding } from '../doctor/finding.ts';
import type { NodeReport } from '../doctor/node-report.ts';
import { node } from '../doctor/testing.ts';
import { doctorJson, doctorText } from './doctor.ts';

const reportsOf = (...names: string[]): NodeReport[] => names.map((name) => node({}, { node: name }));
const on = (name: string, check: string, more: Partial<Finding> = {}): Finding => ({
  check,
  node: name,
  status: 'ok',
  what: `${check} is sound`,
  ...more,
});
const failed: Partial<Finding> = { status: 'fail', what: '7 of 8', remedy: 'Reboot it.', why: 'a lost GPU' };

function text(names: readonly string[], findings: Finding[]): string[] {
  return doctorText('study.yaml', { findings, reports: reportsOf(...names) }).split('\n');
}

test('of one node, what was found stands beside each check', () => {
  const lines = text(['n0'], [on('n0', 'disk'), on('n0', 'gpus', { ...failed, cell: 'not shown' })]);
  expect(lines[0]).toMatch(/^check +n0/);
  expect(lines.find((line) => line.startsWith('disk'))).toMatch(/^disk +ok +disk is sound/);
  expect(lines.find((line) => line.startsWith('gpus'))).toMatch(/^gpus +fail +7 of 8/);
});

test('of several nodes each has a column with the gravest of what was found', () => {
  const lines = text(
    ['n0', 'n1'],
    [
      on('n0', 'gpus', { cell: 'CPU only' }),
      on('n1', 'gpus'),
      on('n1', 'gpus', { status: 'warn', remedy: 'Look.' }),
      on('n1', 'ports', { status: 'unknown' }),
    ],
  );
  expect(lines[0]).toMatch(/^check +n0 +n1/);
  expect(lines.find((line) => line.startsWith('gpus'))).toMatch(/^gpus +CPU only +warn/);
  expect(lines.find((line) => line.startsWith('ports'))).toMatch(/^ports +– +\?/);
});

test('of many nodes, those that differ in nothing share a column', () => {
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
  const findings = names.map((name) => on(name, 'gpus', name === 'n5' ? failed : {}));
  const [head, ...lines] = text(names, findings);
  expect(head).toMatch(/^check +n0 and 10 more +n5$/);
  expect(lines.find((line) => line.startsWith('gpus'))).toMatch(/^gpus +ok +fail$/);
});

test('what is to be mended is listed, the gravest first, with the reason and the remedy', () => {
  const lines = text(
    ['n0'],
    [
      on('n0', 'cores', { status: 'warn', what: 'busy', remedy: 'Look who works there.' }),
      on('n0', 'gpus', failed),
    ],
  );
  const at = lines.findIndex((line) => line.startsWith('fail'));
  expect(lines.slice(at, at + 3)).toEqual([
    'fail    n0: gpus: 7 of 8',
    '        (a lost GPU)',
    '        → Reboot it.',
  ]);
  expect(lines.findIndex((line) => line.startsWith('warn'))).toBeGreaterThan(at);
});

test('the same on several nodes is said once, with all their names', () => {
  const lines = text(['n0', 'n1'], [on('n0', 'gpus', failed), on('n1', 'gpus', failed)]);
  expect(lines.filter((line) => line.startsWith('fail  '))).toEqual(['fail    n0, n1: gpus: 7 of 8']);
});

test('what lies behind an obstacle is told by the obstacle alone', () => {
  const lines = text(
    ['n0'],
    [
      on('n0', 'reach', { ...failed, what: 'is away' }),
      on('n0', 'disk', { status: 'unknown', what: 'was not reached' }),
    ],
  );
  expect(lines.some((line) => line.startsWith('unknown'))).toBe(false);
  expect(lines).toContain('1 failure, 1 unknown; nothing was started.');
});

test('what is said of the study stands apart from its nodes', () => {
  const lines = text(
    ['n0'],
    [
      { check: 'secrets', node: null, status: 'fail', what: 'A is not set here', remedy: 'export A' },
      on('n0', 'disk'),
    ],
  );
  expect(lines[0]).toMatch(/^study/);
  expect(lines).toContain('fail    here: secrets: A is not set here');
});

test('a study that nothing speaks against is sent on, warnings or not; one that something does is not', () => {
  const next = (findings: Finding[]) => text(['n0'], findings).slice(-2);
  expect(next([on('n0', 'disk')])).toEqual([
    'all is well; nothing was started.',
    'next    her run study.yaml',
  ]);
  expect(next([on('n0', 'disk', { status: 'warn', remedy: 'x' })])).toEqual([
    '1 warning; nothing was started.',
    'next    her run study.yaml',
  ]);
  expect(next([on('n0', 'disk', failed), on('n0', 'gpus', failed)]).at(-1)).toBe(
    '2 failures; nothing was started.',
  );
  expect(next([on('n0', 'disk', { status: 'unknown' })]).at(-1)).toBe('1 unknown; nothing was started.');
});

test('as data, the gravest status stands above all findings and facts', () => {
  const findings = [on('n0', 'disk'), on('n0', 'gpus', { status: 'unknown' })];
  const reports = reportsOf('n0');
  const planned = { plan: { study: 'looked-at', target: 'nodes' } };
  expect(doctorJson(planned, { findings, reports })).toEqual({
    study: 'looked-at',
    target: 'nodes',
    status: 'unknown',
    findings,
    nodes: reports,
  });
});

test('words of nodes neither steer the terminal nor break a line', () => {
  const odd = 'x\u001b[2J\u202e\ny';
  for (const names of [['n0'], ['n0', 'n1']]) {
    const lines = text(names, [on('n0', 'disk', { ...failed, what: odd, why: odd, remedy: odd })]);
    expect(lines.join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(lines).toHaveLength(text(names, [on('n0', 'disk', failed)]).length);
  }
});
