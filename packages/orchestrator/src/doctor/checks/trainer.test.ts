import { expect, test } from 'vitest';
import type { EnvironmentNeed } from '../needs.ts';
import { needs, node, said, swiftNeed } from '../testing.ts';
import { imageCheck, trainerCheck } from './trainer.ts';

const right = { 'ms-swift': '4.6.0', torch: '2.11.0' };
const given = { locked: false, path: '/opt/envs/swift' };

type There = { path?: string; exists?: boolean; python?: boolean };
function having(versions: Record<string, string>, more: There = {}) {
  const there = { path: '/opt/envs/swift', exists: true, python: true, versions, ...more };
  return node({ environments: { swift: { ok: there } } });
}
const want = (over: Partial<EnvironmentNeed> = {}) => needs({ environments: [swiftNeed(over)] });
const statuses = (report: ReturnType<typeof node>, asked: ReturnType<typeof want>) =>
  trainerCheck.of(report, asked).map(({ status }) => status);

test('the trainer of the study, with the versions of its lock, passes', () => {
  expect(said(trainerCheck, having(right), want())).toEqual(['ok', 'ms-swift 4.6.0']);
  expect(said(trainerCheck, having({ ...right, torch: '2.11.0+cu130' }), want())[0]).toBe('ok');
});

test('a locked one that is not set up yet passes: a run sets it up; a given one without it fails', () => {
  const empty = having({}, { exists: false, python: false });
  expect(said(trainerCheck, empty, want())).toEqual([
    'ok',
    'ms-swift 4.6.0 is not set up yet: `her run` does it',
  ]);
  expect(said(trainerCheck, empty, want(given))).toEqual(['fail', 'no ms-swift in /opt/envs/swift']);
});

test('another version of the trainer fails, with what to do about it', () => {
  const older = having({ ...right, 'ms-swift': '4.5.2' });
  const what = 'ms-swift 4.5.2 in /opt/envs/swift; the study is written for 4.6.0';
  expect(said(trainerCheck, older, want())).toEqual(['fail', what]);
  expect(trainerCheck.of(older, want())[0]?.remedy).toContain('Remove the folder');
  expect(trainerCheck.of(older, want(given))[0]?.remedy).toContain('Install ms-swift 4.6.0');
});

test('an environment without a Python that runs fails', () => {
  expect(said(trainerCheck, having(right, { python: false }), want())).toEqual([
    'fail',
    '/opt/envs/swift has no bin/python that can be run',
  ]);
});

test('other versions beside the trainer, or none, are told', () => {
  expect(said(trainerCheck, having({ ...right, torch: '2.10.0' }), want())).toEqual([
    'warn',
    'ms-swift 4.6.0, with torch 2.10.0 (lock: 2.11.0)',
  ]);
  expect(said(trainerCheck, having({ 'ms-swift': '4.6.0' }), want())[1]).toContain('torch is missing');
});

test('an environment that was not seen is unknown', () => {
  expect(said(trainerCheck, node({ environments: { swift: { late: 36 } } }), want())[0]).toBe('unknown');
  expect(said(trainerCheck, node(), want())).toEqual(['unknown', 'ms-swift: was not asked']);
});

test('flash-attn that a stage asks for passes where it is there', () => {
  const there = having({ ...right, 'flash-attn': '2.8.3' });
  expect(statuses(there, want({ ...given, flash: ['sft'] }))).toEqual(['ok']);
  expect(statuses(there, want({ flash: ['sft'] }))).toEqual(['ok']);
});

test('flash-attn that a stage asks for and that is missing fails beside what is right', () => {
  const found = trainerCheck.of(having(right), want({ ...given, flash: ['sft', 'dpo'] }));
  expect(found.map(({ status, what }) => [status, what])).toEqual([
    ['ok', 'ms-swift 4.6.0'],
    ['fail', 'no flash-attn in /opt/envs/swift: sft, dpo cannot load a model'],
  ]);
});

test('the locked environment never has it, also before it is set up', () => {
  for (const versions of [{}, right]) {
    const found = trainerCheck.of(having(versions), want({ flash: ['rl'] }));
    expect(found.map(({ status }) => status)).toEqual(['ok', 'fail']);
    expect(found[1]?.what).toContain('the locked environment');
    expect(found[1]?.remedy).toContain('sdpa');
  }
});

test('it is not missed where no stage asks for it, nor beside a trainer that is missing as a whole', () => {
  expect(statuses(having(right), want(given))).toEqual(['ok']);
  expect(statuses(having({}), want({ ...given, flash: ['sft'] }))).toEqual(['fail']);
});

test('each environment of a study is judged', () => {
  const verl = swiftNeed({
    name: 'verl',
    trainer: { package: 'verl', version: '0.9.1' },
    pinned: { verl: '0.9.1' },
  });
  const both = needs({ environments: [swiftNeed(), verl] });
  expect(statuses(having(right), both)).toEqual(['ok', 'unknown']);
  expect([trainerCheck.needed(both), trainerCheck.needed(needs())]).toEqual([true, false]);
});

const image = needs({ image: { name: 'docker://x@sha256:0', with: 'apptainer' } });

test('the program of a container passes where it is found and fails where it is not', () => {
  const found = node({ programs: { ok: { apptainer: '/usr/bin/apptainer' } } });
  expect(said(imageCheck, found, image)).toEqual(['ok', 'apptainer: /usr/bin/apptainer']);
  for (const programs of [{ apptainer: null }, {}, { docker: '/usr/bin/docker' }])
    expect(said(imageCheck, node({ programs: { ok: programs } }), image)).toEqual([
      'fail',
      'apptainer is not there',
    ]);
  expect(said(imageCheck, node({ programs: { late: 36 } }), image)[0]).toBe('unknown');
  expect([imageCheck.needed(image), imageCheck.needed(needs())]).toEqual([true, false]);
});
