import type { EntryBody } from '@her/ledger';
import { expect, test } from 'vitest';
import { standing } from '../reconcile/decide.ts';
import { latestAttempt } from '../reconcile/state.ts';
import { attemptEntries, chain, stateOf } from '../reconcile/testing.ts';
import { newsOfEnd, newsOfSilence, newsOfStudy, newsUntold, type Scene } from './news.ts';

const plan = chain();
const [prepare, sft, rl] = plan.jobs;
if (prepare === undefined || sft === undefined || rl === undefined) throw new Error('three jobs');

function sceneOf(...bodies: EntryBody[]): Scene {
  return { plan, state: stateOf(bodies), policy: { retries: 1 } };
}

function newsOf(scene: Scene, job = sft) {
  const attempt = latestAttempt(scene.state.jobs.get(job?.id ?? ''));
  if (attempt === undefined || job === undefined) throw new Error('no attempt');
  return newsOfEnd(scene, job, attempt);
}

const done = attemptEntries(prepare.id, 1, { code: 0, reason: 'exited' });
const failed = (number: number, reason = 'exited', policy: 'retry' | 'stop' = 'retry') =>
  attemptEntries(sft.id, number, { code: 1, reason, policy });

test('a job that failed for good is told once with its cause; one that is tried again is not', () => {
  expect(newsOf(sceneOf(...done), prepare)).toBe(null);
  expect(newsOf(sceneOf(...done, ...failed(1)))).toBe(null);
  const news = newsOf(sceneOf(...done, ...failed(1), ...failed(2)));
  expect(news).toMatchObject({
    key: `ended ${sft.id}-2`,
    of: ['failure'],
    headline: expect.stringMatching(/^sft\/11 failed: a test/),
    next: 'her logs sft/11 --study test',
  });
  expect(newsOf(sceneOf(...done, ...failed(1, 'exited', 'stop')))).toMatchObject({ of: ['failure'] });
});

test('a hang is a stall, and a failure too where it is the last', () => {
  expect(newsOf(sceneOf(...done, ...failed(1, 'hang')))).toMatchObject({
    of: ['stall'],
    headline: 'sft/11 hung and is tried again: a test',
  });
  expect(newsOf(sceneOf(...done, ...failed(1, 'hang', 'stop')))).toMatchObject({ of: ['failure', 'stall'] });
});

test('what a killed run did not tell is told by the next', () => {
  const scene = sceneOf(...done, ...failed(1, 'exited', 'stop'));
  expect(newsUntold(scene)).toEqual([newsOf(scene)]);
});

test('a node out of reach is a stall once it is silent for longer than the job may be', () => {
  const scene = sceneOf(...done, ...attemptEntries(sft.id, 1));
  const attempt = latestAttempt(scene.state.jobs.get(sft.id));
  if (attempt === undefined) throw new Error('no attempt');
  const since = new Date(1_000_000);
  expect(newsOfSilence(scene, sft, attempt, since, 'no route', 1_059_000)).toBe(null);
  expect(newsOfSilence(scene, sft, attempt, since, 'no route', 1_061_000)).toMatchObject({
    key: `silent ${sft.id}-1 1970-01-01T00:16:40.000Z`,
    of: ['stall'],
    headline: 'sft/11: nothing heard for 1 min 1 s, unknown since 1970-01-01T00:16:40.000Z: no route',
  });
});

test('the end of a study is told when nothing of it may go on, and anew after another attempt', () => {
  const outcomeOf = (scene: Scene) =>
    plan.jobs.map((job) => ({ job, standing: standing(plan, scene.state, job, scene.policy) }));
  const open = sceneOf(...done, ...failed(1));
  expect(newsOfStudy(open, outcomeOf(open))).toBe(null);
  const over = sceneOf(...done, ...failed(1), ...failed(2));
  const first = newsOfStudy(over, outcomeOf(over));
  expect(first).toMatchObject({ of: ['end'], headline: 'ended: 1 done, 1 failed, 1 blocked' });
  const later = sceneOf(...done, ...failed(1), ...failed(2), ...failed(3));
  expect(newsOfStudy(later, outcomeOf(later))?.key).not.toBe(first?.key);
});
