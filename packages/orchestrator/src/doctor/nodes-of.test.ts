import type { Plan } from '@her/configs';
import { expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import { nodesOf, type Ways } from './nodes-of.ts';
import { stubRunner } from './testing-runner.ts';
import { plannedStudy } from './testing-study.ts';

const local = stubRunner();
const ways: Ways = {
  local,
  openRunner: async (host) => ({ ...stubRunner(), host }),
  addressOf: async (host) => {
    if (host === 'odd') throw new TypeError('stub mistake');
    if (host === 'n1') throw new HerError('SSH_SETUP', 'stub: no such host');
    return `${host}.example`;
  },
};

const rest = 'cores: 96, memory_gb: 2000, gpus: { per_node: 8, kind: H100-80 }';
const of = (target: string) => nodesOf(plannedStudy('', { target }).plan, ways);

async function shown(target: string) {
  const nodes = await of(target);
  return Promise.all(nodes.map(async ({ name, address, open }) => [name, address, (await open()).host]));
}

test('each host of ssh is one, at the address that the study says or that ssh knows', async () => {
  const addresses = 'addresses: { n0: 10.0.0.1 }';
  expect(await shown(`{ kind: ssh, hosts: [n0, n2], root: /r, ${addresses}, ${rest} }`)).toEqual([
    ['n0', '10.0.0.1', 'n0'],
    ['n2', 'n2.example', 'n2'],
  ]);
});

test('a host without settings has no address: why is told when it is opened', async () => {
  expect((await shown(`{ kind: ssh, hosts: [n0, n1], root: /r, ${rest} }`))[1]).toEqual(['n1', null, 'n1']);
  await expect(of(`{ kind: ssh, hosts: [odd, n2], root: /r, ${rest} }`)).rejects.toThrow('stub mistake');
});

test('of Slurm it is the one with its commands, here or by ssh', async () => {
  expect(await shown(`{ kind: slurm, login: cluster, nodes: 2, root: /r, ${rest} }`)).toEqual([
    ['cluster', null, 'cluster'],
  ]);
  expect(await shown(`{ kind: slurm, nodes: 2, root: /r, ${rest} }`)).toEqual([['login', null, 'stub']]);
});

test('without a target elsewhere it is this machine', async () => {
  const runsOn = { kind: 'local' } as Plan['runsOn'];
  const [here, ...others] = await nodesOf({ runsOn }, ways);
  expect(others).toEqual([]);
  expect([here?.name, await here?.open()]).toEqual(['local', local]);
});
