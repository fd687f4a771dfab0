import { expect, test } from 'vitest';
import { machine, needs, node, other, twoNodes } from '../testing.ts';
import { driversAlikeCheck } from './drivers-alike.ts';
import { sameMachineCheck } from './same-machine.ts';

const want = needs({ nodes: twoNodes });

test('two machines are told apart', () => {
  expect([...sameMachineCheck.of([node(), other()], want)]).toEqual([]);
});

test('two names of one machine are found at the second name', () => {
  const again = other({ machine: { ok: machine() } });
  const found = sameMachineCheck.of([node(), again], want);
  expect([...found.keys()]).toEqual(['n1']);
  expect(found.get('n1')).toEqual([
    { status: 'fail', what: 'is the same machine as n0', remedy: 'Name each machine once in `hosts`.' },
  ]);
});

test('containers of one kernel share its boot and are machines of their own', () => {
  const beside = other({ machine: { ok: machine({ host: 'n1' }) } });
  expect([...sameMachineCheck.of([node(), beside], want)]).toEqual([]);
});

test('a machine that said nothing of itself is taken for none of the others', () => {
  const silent = node({ machine: { late: 5 } });
  const third = other({ machine: { error: 'x' } });
  expect([...sameMachineCheck.of([silent, third], want)]).toEqual([]);
});

test('both cross checks have no question to a single node, and drivers none without gangs', () => {
  expect(sameMachineCheck.needed(needs())).toBe(false);
  expect(sameMachineCheck.needed(want)).toBe(true);
  const gpus = { perNode: 8, kind: null, memoryGb: 0 };
  expect(driversAlikeCheck.needed({ ...want, gpus })).toBe(false);
  expect(driversAlikeCheck.needed({ ...want, gangs: true })).toBe(false);
  expect(driversAlikeCheck.needed({ ...want, gpus, gangs: true })).toBe(true);
});
