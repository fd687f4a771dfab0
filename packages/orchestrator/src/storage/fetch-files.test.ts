import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import { fetchFiles } from './fetch-files.ts';

const content = new Map([
  ['a.bin', Buffer.alloc(300_000, 'a')],
  ['deep/b.json', Buffer.from('{}')],
  ['empty', Buffer.alloc(0)],
]);
const files = [...content].map(([path, bytes]) => ({
  path,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
}));
const signal = new AbortController().signal;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-fetch-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A source that gives pieces of 100 kB, and breaks after so many of them. */
function source(asked: string[], pieces = Number.POSITIVE_INFINITY, error: Error | null = null) {
  let given = 0;
  return async function* (path: string, from: number): AsyncGenerator<Uint8Array> {
    asked.push(`${path} ${from}`);
    const bytes = content.get(path) ?? Buffer.alloc(0);
    for (let at = from; at < bytes.length; at += 100_000) {
      if (given >= pieces) {
        given = Number.NEGATIVE_INFINITY;
        throw error ?? new HerError('STORE_UNREACHABLE', 'the link is down');
      }
      given += 1;
      yield bytes.subarray(at, at + 100_000);
    }
  };
}

describe('fetchFiles', () => {
  test('what came before the link broke is not asked for again', async () => {
    const asked: string[] = [];
    const out = join(folder, 'out');
    const told = { files, out, signal, bytes: source(asked, 2), firstPause: 1 };
    expect(await fetchFiles(told)).toBe(300_002);
    expect(asked).toEqual(['a.bin 0', 'a.bin 200000', 'deep/b.json 0']);
    for (const [path, bytes] of content) expect(await readFile(join(out, path))).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['out']);
  });

  test('a later call goes on from what an earlier one left, and removes what is not its own', async () => {
    const out = join(folder, 'out');
    const broken = { files, out, signal, bytes: source([], 1), tries: 1 };
    await expect(fetchFiles(broken)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    await writeFile(join(`${out}.partial`, 'stranger'), 'x');
    await symlink('/etc/passwd', join(`${out}.partial`, 'empty'));
    const asked: string[] = [];
    await fetchFiles({ files, out, signal, bytes: source(asked) });
    expect(asked).toEqual(['a.bin 100000', 'deep/b.json 0']);
    expect((await readdir(out)).sort()).toEqual(['a.bin', 'deep', 'empty']);
  });

  test('wrong bytes that an earlier call left are fetched anew; wrong bytes that come are refused', async () => {
    const out = join(folder, 'out');
    await mkdir(`${out}.partial`);
    await writeFile(join(`${out}.partial`, 'a.bin'), 'something else');
    const asked: string[] = [];
    await fetchFiles({ files, out, signal, bytes: source(asked) });
    expect(asked.slice(0, 2)).toEqual(['a.bin 14', 'a.bin 0']);
    const lying = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(300_000, 'z');
    };
    const refused = fetchFiles({ files, out: join(folder, 'other'), signal, bytes: lying });
    await expect(refused).rejects.toMatchObject({ code: 'CHECKPOINT_DIFFERS' });
    expect(await readdir(folder)).toEqual(['other.partial', 'out'].sort());
  });

  test('a source that is shorter or longer than the record says is refused', async () => {
    const short = async function* (): AsyncGenerator<Uint8Array> {
      yield* [];
    };
    const long = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(300_001, 'a');
    };
    for (const bytes of [short, long]) {
      const told = { files, out: join(folder, 'out'), signal, bytes };
      await expect(fetchFiles(told)).rejects.toMatchObject({ code: 'CHECKPOINT_DIFFERS' });
    }
  });

  test('a folder that is there is left as it is, and a list that leads out is refused', async () => {
    const told = { files, out: folder, signal, bytes: source([]) };
    await expect(fetchFiles(told)).rejects.toMatchObject({ code: 'FILE_TAKEN' });
    const out = join(folder, 'out');
    const outside = [{ path: '../x', size: 0, sha256: '0'.repeat(64) }];
    await expect(fetchFiles({ ...told, files: outside, out })).rejects.toMatchObject({
      code: 'CHECKPOINT_DIFFERS',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
