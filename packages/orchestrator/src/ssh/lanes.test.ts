import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLanes } from './lanes.ts';

function counting() {
  let opened = 0;
  const open = async (): Promise<{ id: number }> => {
    await sleep(5);
    opened += 1;
    return { id: opened };
  };
  return { open, opened: () => opened };
}

test('those who ask while the first connection is opened share it', async () => {
  const { open, opened } = counting();
  const lanes = openLanes(open, () => false);
  const slots = await Promise.all([lanes.take('run'), lanes.take('run'), lanes.take('stream')]);
  expect(slots.map(({ connection }) => connection.id)).toEqual([1, 1, 1]);
  expect(opened()).toBe(1);
});

test('more commands than channels wait for their turn on one connection', async () => {
  const { open, opened } = counting();
  const lanes = openLanes(open, () => false, { channels: 2 });
  let most = 0;
  let under = 0;
  const work = Array.from({ length: 20 }, async () => {
    const slot = await lanes.take('run');
    under += 1;
    most = Math.max(most, under);
    await sleep(1);
    under -= 1;
    slot.release();
  });
  await Promise.all(work);
  expect(most).toBe(2);
  expect(opened()).toBe(1);
});

test('streams leave a place for runs, and get a further connection', async () => {
  const { open, opened } = counting();
  const lanes = openLanes(open, () => false, { channels: 2 });
  await Promise.all([lanes.take('stream'), lanes.take('stream')]);
  expect(opened()).toBe(2);
  const run = await lanes.take('run');
  expect(run.connection.id).toBe(1);
});

test('a refused channel lowers what is asked of the server from then on', async () => {
  const { open } = counting();
  const lanes = openLanes(open, () => false, { channels: 4, connections: 1 });
  const first = await lanes.take('run');
  (await lanes.take('run')).refused();
  let got = false;
  const waiting = lanes.take('run').then((slot) => {
    got = true;
    return slot;
  });
  await sleep(5);
  expect(got).toBe(false);
  first.release();
  expect((await waiting).connection.id).toBe(1);
});
