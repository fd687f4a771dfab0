import { expect, test } from 'vitest';
import type { FolderFacts } from '../probe-reply.ts';
import { folder, needs, node, said, swiftNeed } from '../testing.ts';
import { diskCheck, inodesCheck, rootCheck, tmpCheck } from './folders.ts';

const root = (over: Partial<FolderFacts>) => node({ folders: { root: { ok: folder(over) } } });
const tmp = (over: Partial<FolderFacts>) =>
  node({ folders: { tmp: { ok: folder({ path: '/tmp', ...over }) } } });
const planned = (bytes: number, unknown: string[] = []) => needs({ disk: { bytes, unknown, inodes: 500 } });

test('a root that can be written passes, also one that will be made', () => {
  expect(said(rootCheck, node())).toEqual(['ok', '/data/her, ext4']);
  expect(said(rootCheck, root({ exists: false, folder: false, nearest: '/data' }))).toEqual([
    'ok',
    '/data/her (will be made), ext4',
  ]);
});

test('a root that cannot be written fails in the words of the system', () => {
  expect(said(rootCheck, root({ problem: 'Permission denied' }))).toEqual([
    'fail',
    '/data/her: Permission denied',
  ]);
  expect(
    said(rootCheck, root({ exists: false, folder: false, nearest: '/data', problem: 'Permission denied' })),
  ).toEqual(['fail', '/data/her cannot be made in /data: Permission denied']);
});

test('a root that is a file fails', () => {
  expect(said(rootCheck, root({ folder: false, nearest: '/data' }))).toEqual([
    'fail',
    '/data/her is no folder',
  ]);
});

test('a root that is no path of its own fails once, and its room is unknown', () => {
  const relative = node({ folders: { root: { ok: { path: 'her', problem: 'is no absolute path' } } } });
  expect(said(rootCheck, relative)).toEqual(['fail', 'her is no absolute path']);
  for (const check of [diskCheck, inodesCheck]) expect(said(check, relative)[0]).toBe('unknown');
});

test('a full disk is a failure of the disk alone', () => {
  for (const problem of ['No space left on device', 'Disk quota exceeded']) {
    expect(said(rootCheck, root({ problem, freeBytes: 0 }))[0]).toBe('ok');
    expect(said(diskCheck, root({ problem, freeBytes: 9e12 }))).toEqual(['fail', 'full: 9 TB free at /data']);
  }
  expect(said(diskCheck, root({ freeBytes: 200e6 }), planned(0))[0]).toBe('fail');
});

test('disk: what the checkpoints take must be free, with a tenth above', () => {
  expect(said(diskCheck, root({ freeBytes: 111e9 }), planned(100e9))).toEqual([
    'ok',
    '111 GB free at /data; checkpoints take 100 GB',
  ]);
  expect(said(diskCheck, root({ freeBytes: 105e9 }), planned(100e9))[0]).toBe('warn');
  expect(said(diskCheck, root({ freeBytes: 99e9 }), planned(100e9))[0]).toBe('fail');
  expect(said(diskCheck, root({}), planned(0))[1]).toContain('no checkpoints are planned');
});

test('disk: stages whose checkpoints cannot be told are named', () => {
  expect(said(diskCheck, root({}), planned(0, ['sft', 'rl']))[1]).toContain(
    'those of sft, rl cannot be told',
  );
});

test('disk: trainers that are to be set up take room too, those that are there or given none', () => {
  const at = (versions: Record<string, string>) =>
    node({
      folders: { root: { ok: folder({ freeBytes: 15e9 }) } },
      environments: { swift: { ok: { path: '/e', exists: false, python: false, versions } } },
    });
  const want = { ...planned(10e9), environments: [swiftNeed()] };
  expect(said(diskCheck, at({}), want)).toEqual([
    'fail',
    '15 GB free at /data; checkpoints take 10 GB, the trainers to set up 8 GB',
  ]);
  expect(said(diskCheck, at({ 'ms-swift': '4.6.0' }), want)[0]).toBe('ok');
  expect(said(diskCheck, at({}), { ...want, environments: [swiftNeed({ locked: false })] })[0]).toBe('ok');
});

test('inodes: too few for what is planned, or for anything, fail; some file systems count none', () => {
  expect(said(inodesCheck, root({ freeInodes: 2000 }))[0]).toBe('ok');
  expect(said(inodesCheck, root({ freeInodes: 1999 }))[0]).toBe('fail');
  const many = needs({ disk: { bytes: 0, unknown: [], inodes: 5000 } });
  expect(said(inodesCheck, root({ freeInodes: 4999 }), many)).toEqual([
    'fail',
    '4999 free at /data; about 5000 files are planned',
  ]);
  expect(said(inodesCheck, root({ freeInodes: null }))).toEqual(['ok', 'not counted by this file system']);
});

test('/tmp: it must be writable, and have a GB', () => {
  expect(said(tmpCheck, tmp({ freeBytes: 5e9 }))).toEqual(['ok', '5 GB free']);
  expect(said(tmpCheck, tmp({ freeBytes: 0.9e9 }))).toEqual(['warn', '900 MB free']);
  expect(said(tmpCheck, tmp({ problem: 'Read-only file system' }))).toEqual([
    'fail',
    'Read-only file system',
  ]);
  expect(said(tmpCheck, tmp({ folder: false, nearest: '/' }))).toEqual(['fail', '/tmp is no folder']);
});

test.each([rootCheck, diskCheck, inodesCheck, tmpCheck])(
  '$name is unknown where the file system hangs or failed',
  (check) => {
    const hanging = node({ folders: { root: { late: 36 }, tmp: { late: 36 } } });
    expect(said(check, hanging)).toEqual(['unknown', expect.stringContaining('no answer within 36 s')]);
    const failed = node({
      folders: { root: { error: 'Stale file handle' }, tmp: { error: 'Stale file handle' } },
    });
    expect(said(check, failed)).toEqual(['unknown', expect.stringContaining('Stale file handle')]);
    expect(said(check, node({ folders: {} }))[0]).toBe('unknown');
  },
);
