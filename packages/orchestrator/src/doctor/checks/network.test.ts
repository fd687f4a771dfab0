import { expect, test } from 'vitest';
import type { ProbeReply } from '../probe-reply.ts';
import { needs, node, swiftNeed } from '../testing.ts';
import { networkCheck } from './network.ts';

const hub = { name: 'huggingface.co', host: 'huggingface.co', port: 443, tls: true, onlyToSetUp: false };
const index = { ...hub, name: 'pypi.org', host: 'pypi.org', onlyToSetUp: true };
const want = needs({
  servers: [
    { ...hub, why: 'rl/11 fetches from it' },
    { ...index, why: 'the packages of the trainers come from it' },
  ],
  environments: [swiftNeed()],
});
const fast = { ok: { milliseconds: 31, proxy: false } };
const there = (exists: boolean): ProbeReply['environments'] => ({
  swift: { ok: { path: '/e', exists, python: exists, versions: {} } },
});

function of(reach: ProbeReply['reach'], environments = there(false)) {
  return networkCheck.of(node({ reach, environments }), want).map(({ status, what }) => [status, what]);
}

test('servers that answer pass, with the way there', () => {
  expect(of({ 'huggingface.co': fast, 'pypi.org': { ok: { milliseconds: 90, proxy: true } } })).toEqual([
    ['ok', 'huggingface.co in 31 ms'],
    ['ok', 'pypi.org in 90 ms, by a proxy'],
  ]);
});

test('one that jobs fetch from fails where it does not answer, and who needs it is said', () => {
  const [refused] = networkCheck.of(
    node({ reach: { 'huggingface.co': { error: 'Connection refused' } }, environments: there(true) }),
    want,
  );
  expect(refused).toMatchObject({
    status: 'fail',
    what: 'huggingface.co: Connection refused',
    why: 'rl/11 fetches from it',
  });
  expect(of({ 'huggingface.co': { late: 36 }, 'pypi.org': fast })[0]).toEqual([
    'fail',
    'huggingface.co: does not answer',
  ]);
});

test('the index of packages is needed where trainers are still to be set up, and then only told', () => {
  const reach = { 'huggingface.co': fast, 'pypi.org': { error: 'no route' } };
  expect(of(reach)[1]).toEqual(['warn', 'pypi.org: no route']);
  expect(of(reach, there(true))[1]).toEqual(['ok', 'pypi.org is not needed: the trainers are there']);
  expect(of(reach, { swift: { late: 36 } })[1]?.[0]).toBe('warn');
});

test('a server that was not asked for is unknown', () => {
  expect(of({})).toEqual([
    ['unknown', 'huggingface.co: was not asked'],
    ['unknown', 'pypi.org: was not asked'],
  ]);
});

test('without servers there is nothing to ask', () => {
  expect([networkCheck.needed(needs()), networkCheck.needed(want)]).toEqual([false, true]);
});
