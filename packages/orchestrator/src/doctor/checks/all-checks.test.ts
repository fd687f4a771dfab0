import { expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import type { NodeReport, Obstacle } from '../node-report.ts';
import { gpu, links, machine, needs, node, nvidia, other, swiftNeed, twoNodes } from '../testing.ts';
import { findingsOf } from './all-checks.ts';

const whole = { quick: false, deep: false };
const gang = needs({
  gangs: true,
  storage: 'shared',
  nodes: twoNodes,
  gpus: { perNode: 1, kind: null, memoryGb: 0 },
  environments: [swiftNeed()],
  inputs: [{ name: '/m', path: '/m', model: true }],
});

function missed(check: Obstacle['check'], name = 'n1'): NodeReport {
  const obstacle = {
    check,
    what: 'stub: it did not work',
    remedy: 'Mend the stub.',
    code: 'SSH_SETUP' as const,
  };
  return { node: name, address: null, reached: false, obstacle };
}

const of = (findings: readonly Finding[], name: string) =>
  Object.fromEntries(findings.filter((one) => one.node === name).map(({ check, status }) => [check, status]));

test('a sound node has one row for each check, in the order in which they rest on each other', () => {
  const findings = findingsOf([node()], needs(), whole);
  expect(findings.map(({ check }) => check)).toEqual([
    'reach',
    'host key',
    'login',
    'python',
    'clock',
    'cores',
    'memory',
    'limits',
    'gpus',
    'root',
    'disk',
    'inodes',
    '/tmp',
  ]);
  for (const finding of findings) expect(finding).toMatchObject({ node: 'n0', status: 'ok' });
});

test('this machine has no host key to know', () => {
  const local = needs({ kind: 'local' });
  for (const report of [node(), missed('python', 'n0')]) {
    const checks = findingsOf([report], local, whole).map(({ check }) => check);
    expect(checks).not.toContain('host key');
    expect(checks.slice(0, 2)).toEqual(['reach', 'login']);
  }
});

test.each([
  ['reach', {}, ['host key', 'login', 'python']],
  ['host key', { reach: 'ok' }, ['login', 'python']],
  ['login', { reach: 'ok', 'host key': 'ok' }, ['python']],
  ['python', { reach: 'ok', 'host key': 'ok', login: 'ok' }, []],
] as const)(
  'behind an obstacle at %s nothing is known, and what lies before it went well',
  (check, before, behind) => {
    const findings = findingsOf([missed(check, 'n0')], gang, whole);
    const found = of(findings, 'n0');
    expect(found).toMatchObject({ ...before, [check]: 'fail' });
    const rest = Object.entries(found).filter(([name]) => !(name in before) && name !== check);
    expect(rest.map(([name]) => name)).toEqual(
      expect.arrayContaining([...behind, 'clock', 'disk', 'trainer', 'ports']),
    );
    for (const [, status] of rest) expect(status).toBe('unknown');
    expect(new Set(findings.map((one) => one.check)).size).toBe(findings.length);
    expect(findings.find(({ status }) => status === 'fail')).toMatchObject({
      what: 'stub: it did not work',
      remedy: 'Mend the stub.',
      code: 'SSH_SETUP',
    });
  },
);

test('a node that was missed has the rows of those that were reached', () => {
  const findings = findingsOf([node({}, { links: links({}) }), missed('reach')], gang, whole);
  const rows = (name: string) => Object.keys(of(findings, name)).sort();
  expect(rows('n1')).toEqual(rows('n0'));
  const deep = findingsOf([node(), missed('login')], gang, { quick: false, deep: true });
  expect(of(deep, 'n1')['all_reduce']).toBe('unknown');
});

test('before a start only what takes no time is asked: nothing of work, network, inputs, links', () => {
  const findings = findingsOf([node(), other()], gang, { quick: true, deep: false });
  expect(Object.keys(of(findings, 'n0'))).toEqual([
    'reach',
    'host key',
    'login',
    'python',
    'clock',
    'gpus',
    'driver',
    'root',
    'disk',
    'inodes',
    '/tmp',
    'trainer',
  ]);
});

test('all_reduce is there where it was asked for', () => {
  const checks = (deep: boolean) =>
    findingsOf([node()], needs(), { quick: false, deep }).map(({ check }) => check);
  expect(checks(false)).not.toContain('all_reduce');
  expect(checks(true)).toContain('all_reduce');
});

test('the same machine twice fails in the row of the way there', () => {
  const twice = other({ machine: { ok: machine() } });
  const findings = findingsOf([node(), twice], gang, { quick: true, deep: false });
  expect(findings.filter(({ node: name, check }) => name === 'n1' && check === 'reach')).toEqual([
    expect.objectContaining({ status: 'fail', what: 'is the same machine as n0' }),
  ]);
  expect(of(findings, 'n0')['reach']).toBe('ok');
});

test('a driver that differs is told beside what the node has', () => {
  const at = (driver: string) => ({ gpus: nvidia([gpu()], { driver }) });
  const findings = findingsOf([node(at('580.1')), other(at('570.1'))], gang, whole);
  const drivers = findings.filter(({ check }) => check === 'driver');
  expect(drivers.map(({ node: name, status }) => [name, status])).toEqual([
    ['n0', 'ok'],
    ['n1', 'ok'],
    ['n1', 'warn'],
  ]);
});

test('of a scheduler the machine with its commands is looked at, and not for what its nodes have', () => {
  const gpus = { perNode: 8, kind: 'H100-80', memoryGb: 80 };
  const image = { name: 'docker://x', with: 'apptainer' as const };
  const weak = node({ machine: { ok: machine({ cores: 1, memoryBytes: 1e9, freeMemoryBytes: 1e9 }) } });
  const findings = findingsOf([weak], needs({ kind: 'slurm', storage: 'shared', gpus, image }), whole);
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(findings.find(({ check }) => check === 'gpus')).toMatchObject({ cell: 'not seen' });
  for (const check of ['cores', 'memory', 'limits', 'driver', 'gpu use', 'ecc', 'container'])
    expect(findings.map((one) => one.check)).not.toContain(check);
});
