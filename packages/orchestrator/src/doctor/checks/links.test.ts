import { expect, test } from 'vitest';
import type { Found } from '../finding.ts';
import type { ReachedNode } from '../node-report.ts';
import { folder, lineOf, links, needs, node, other, twoNodes } from '../testing.ts';
import { portsCheck, sharedRootCheck } from './links.ts';

const gang = needs({ gangs: true, storage: 'shared', nodes: twoNodes });
const near = { '20001': { milliseconds: 0.4 }, '25001': { milliseconds: 1.2 } };

function of(check: typeof portsCheck, nodes: readonly ReachedNode[], name = 'n0') {
  const found: readonly Found[] = check.of(nodes, gang).get(name) ?? [];
  expect(found).toHaveLength(1);
  return lineOf(found[0]);
}

const pair = (first: ReachedNode['links'], second: ReachedNode['links'] = links({ n0: near })) => [
  node({}, first === undefined ? {} : { links: first }),
  other({}, second === undefined ? {} : { links: second }),
];

test('nodes that reach each other at all ports pass, with the slowest answer', () => {
  expect(of(portsCheck, pair(links({ n1: near })))).toEqual(['ok', '1 peer, 1.2 ms at most']);
});

test('a peer that cannot be reached is named with its address, the ports and the reasons', () => {
  const shut = { '20001': { milliseconds: 1 }, '25001': { why: 'timed out' } };
  expect(of(portsCheck, pair(links({ n1: shut })))).toEqual([
    'fail',
    'n1 at 10.0.0.2 cannot be reached at 25001: timed out',
  ]);
  const all = { '20001': { why: 'Connection refused' }, '25001': { why: 'timed out' } };
  expect(of(portsCheck, pair(links({ n1: all })))[1]).toBe(
    'n1 at 10.0.0.2 cannot be reached at any port: Connection refused; timed out',
  );
});

test('a port that somebody else uses is a warning of the node that has it, no failure of those that call it', () => {
  const nodes = pair(
    links({ n1: { '20001': { milliseconds: 1 }, '25001': { why: 'something else listens there' } } }),
    links({ n0: near }, { busy: [25001] }),
  );
  expect(of(portsCheck, nodes, 'n0')[0]).toBe('ok');
  expect(of(portsCheck, nodes, 'n1')).toEqual(['warn', 'in use: 25001']);
});

test('a peer without an address was not tried, and it is not said that all is well', () => {
  const nodes = [node({}, { links: links({}) }), other({}, { address: null, links: links({ n0: near }) })];
  expect(of(portsCheck, nodes)).toEqual(['unknown', 'not tried: n1']);
  expect(of(portsCheck, nodes, 'n1')[0]).toBe('ok');
});

test('what was not asked, not answered or failed is unknown, with the reason', () => {
  expect(of(portsCheck, pair(undefined))).toEqual(['unknown', 'was not asked']);
  expect(of(portsCheck, pair({ problem: 'the connection broke' }))).toEqual([
    'unknown',
    'the connection broke',
  ]);
  expect(of(portsCheck, pair({ links: { late: 12 } }))).toEqual(['unknown', expect.stringMatching(/12 s/)]);
  expect(of(portsCheck, pair({ links: { error: 'no sockets left' } }))[1]).toContain('no sockets left');
});

test('ports matter to gangs of several nodes, a shared root to ssh hosts that claim one', () => {
  expect(portsCheck.needed(gang)).toBe(true);
  expect(portsCheck.needed({ ...gang, gangs: false })).toBe(false);
  expect(portsCheck.needed(needs({ gangs: true }))).toBe(false);
  expect(sharedRootCheck.needed(gang)).toBe(true);
  expect(sharedRootCheck.needed({ ...gang, storage: 'own' })).toBe(false);
  expect(sharedRootCheck.needed({ ...gang, kind: 'slurm' })).toBe(false);
  expect(sharedRootCheck.needed(needs({ storage: 'shared' }))).toBe(false);
});

const shared = (unseen: string[]) => links({}, { shared: { ok: { place: '/data/her', unseen } } });

test('a root in which each sees what the others wrote is shared', () => {
  expect(of(sharedRootCheck, pair(shared([]), shared([])))).toEqual([
    'ok',
    '/data/her: written here, read there',
  ]);
});

test('a root that does not show what another node wrote is not shared, and its file system is named', () => {
  const nodes = pair(shared(['n1']), shared(['n0']));
  expect(of(sharedRootCheck, nodes)).toEqual(['fail', '/data/her (ext4) does not show what n1 wrote']);
  expect(of(sharedRootCheck, nodes, 'n1')[0]).toBe('fail');
  const silent = [node({ folders: { root: { late: 3 } } }, { links: shared(['n1']) }), nodes[1] ?? other()];
  expect(of(sharedRootCheck, silent)[1]).toBe('/data/her does not show what n1 wrote');
  const nameless = { root: { ok: { ...folder(), fileSystem: undefined } } };
  const bare = [node({ folders: nameless }, { links: shared(['n1']) }), other({}, { links: shared([]) })];
  expect(of(sharedRootCheck, bare)[1]).toBe('/data/her does not show what n1 wrote');
});

test.each([
  ['could not write', links({}, { shared: { error: 'Permission denied' } }), 'fail'],
  ['hangs', links({}, { shared: { late: 12 } }), 'unknown'],
  ['broke off', { problem: 'the connection broke' }, 'unknown'],
  ['was not asked', undefined, 'unknown'],
] as const)('a peer that %s is not held against those that did not see it', (_, peer, own) => {
  const nodes = [node({}, { links: shared(['n1']) }), other({}, peer === undefined ? {} : { links: peer })];
  expect(of(sharedRootCheck, nodes)).toEqual(['unknown', 'whether n1 wrote there is not known']);
  expect(of(sharedRootCheck, nodes, 'n1')[0]).toBe(own);
});
