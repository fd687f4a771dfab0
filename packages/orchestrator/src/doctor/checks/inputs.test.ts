import { expect, test } from 'vitest';
import type { ProbeReply } from '../probe-reply.ts';
import { needs, node, said } from '../testing.ts';
import { inputsCheck, modelsCheck } from './inputs.ts';

const rows = needs({ inputs: [{ name: '/data/rows.jsonl', path: '/data/rows.jsonl', model: false }] });
const model = needs({ inputs: [{ name: '/models/qwen', path: '/models/qwen', model: true }] });

const paths = (answers: ProbeReply['paths']) => node({ paths: answers });
const weights = (problems: string[]) =>
  node({ models: { '/models/qwen': { ok: { path: '/models/qwen', bytes: 64e9, problems } } } });

test('a file or folder that can be read passes', () => {
  const file = { path: '/data/rows.jsonl', folder: false, bytes: 12_000_000, readable: true };
  expect(said(inputsCheck, paths({ '/data/rows.jsonl': { ok: file } }), rows)).toEqual([
    'ok',
    '/data/rows.jsonl, 12 MB',
  ]);
  const tree = { ...file, folder: true, bytes: null };
  expect(said(inputsCheck, paths({ '/data/rows.jsonl': { ok: tree } }), rows)).toEqual([
    'ok',
    '/data/rows.jsonl',
  ]);
});

test('one that is not there or may not be read fails', () => {
  expect(
    said(inputsCheck, paths({ '/data/rows.jsonl': { error: 'No such file or directory' } }), rows),
  ).toEqual(['fail', '/data/rows.jsonl: No such file or directory']);
  const locked = { path: '/data/rows.jsonl', folder: false, bytes: 1, readable: false };
  expect(said(inputsCheck, paths({ '/data/rows.jsonl': { ok: locked } }), rows)[0]).toBe('fail');
});

test('one on a file system that hangs, or that was not asked for, is unknown', () => {
  expect(said(inputsCheck, paths({ '/data/rows.jsonl': { late: 36 } }), rows)[0]).toBe('unknown');
  expect(said(inputsCheck, node(), rows)[0]).toBe('unknown');
  expect(said(modelsCheck, node({ models: { '/models/qwen': { late: 36 } } }), model)[0]).toBe('unknown');
  expect(
    said(modelsCheck, node({ models: { '/models/qwen': { error: 'Permission denied' } } }), model),
  ).toEqual(['unknown', '/models/qwen: Permission denied']);
});

test('a model passes whole; what it lacks is listed, and cut where it is much', () => {
  expect(said(modelsCheck, weights([]), model)).toEqual(['ok', '/models/qwen, 64 GB of weights']);
  expect(said(modelsCheck, weights(['config.json is missing']), model)).toEqual([
    'fail',
    '/models/qwen: config.json is missing',
  ]);
  expect(said(modelsCheck, weights(['1', '2', '3', '4', '5', '6']), model)[1]).toBe(
    '/models/qwen: 1; 2; 3; 4; and 2 more',
  );
});

test('each is asked of its own kind alone', () => {
  expect([inputsCheck.needed(rows), inputsCheck.needed(model), inputsCheck.needed(needs())]).toEqual([
    true,
    false,
    false,
  ]);
  expect([modelsCheck.needed(model), modelsCheck.needed(rows)]).toEqual([true, false]);
});
