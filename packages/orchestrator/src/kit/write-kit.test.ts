import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { renderFolderName } from './render-folder.ts';
import { writeKit } from './write-kit.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function scratch(): string {
  const root = mkdtempSync(join(tmpdir(), 'her-write-kit-'));
  roots.push(root);
  return root;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A small kit: what it lists is all that these tests need of it. */
function kit(files: Record<string, string>): Record<string, string> {
  const hashes = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, sha256(text)]));
  const head = { kit: 1, study: 's', target: 't', code: '', jobs: [] };
  return { ...files, 'kit.json': JSON.stringify({ ...head, files: hashes }) };
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');
/** The folder of a render of this machine that is no more: another process has its number now. */
const deadName = (): string => renderFolderName().replace(/-(\d+)-(\w+)$/, '-1-$2');
const entries = ['README.md', 'jobs', 'kit.json'];
const one = kit({ 'README.md': 'one', 'jobs/a/run.sh': 'run a', 'jobs/b/run.sh': 'run b' });
const two = kit({ 'README.md': 'two', 'jobs/a/run.sh': 'run a again' });

describe('a kit on disk', () => {
  it('is written to a new or empty folder, scripts as programs, with nothing left beside it', async () => {
    const root = scratch();
    for (const name of ['new', 'in/between', 'empty']) {
      if (name === 'empty') mkdirSync(join(root, name));
      mkdirSync(dirname(join(root, name)), { recursive: true });
      expect(await writeKit(join(root, name), one)).toEqual({ replaced: false });
      expect(read(root, `${name}/jobs/a/run.sh`)).toBe('run a');
      expect(statSync(join(root, name, 'jobs/a/run.sh')).mode & 0o100).toBe(0o100);
      expect(statSync(join(root, name, 'README.md')).mode & 0o111).toBe(0);
    }
    expect(readdirSync(root).sort()).toEqual(['empty', 'in', 'new']);
  });

  it('takes the place of a former one and leaves what others wrote', async () => {
    const root = scratch();
    const folder = join(root, 'kit');
    await writeKit(folder, one);
    put(folder, 'jobs/b/out/checkpoint-1/model', 'trained');
    put(folder, 'notes.txt', 'mine');
    expect(await writeKit(folder, two)).toEqual({ replaced: true });
    expect(read(folder, 'README.md')).toBe('two');
    expect(read(folder, 'jobs/b/out/checkpoint-1/model')).toBe('trained');
    expect(read(folder, 'notes.txt')).toBe('mine');
    expect(existsSync(join(folder, 'jobs/b/run.sh'))).toBe(false);
    expect(readdirSync(root)).toEqual(['kit']);
    rmSync(join(folder, 'jobs/b/out'), { recursive: true });
    await writeKit(folder, one);
    await writeKit(folder, two);
    expect(existsSync(join(folder, 'jobs/b'))).toBe(false);
  });

  it('refuses a folder with anything else in it', async () => {
    const root = scratch();
    put(root, 'other/file', 'x');
    await expect(writeKit(join(root, 'other'), one)).rejects.toMatchObject({ code: 'KIT_FOLDER_TAKEN' });
    await expect(writeKit(join(root, 'other/file'), one)).rejects.toMatchObject({ code: 'KIT_FOLDER_TAKEN' });
    put(root, 'other/kit.json', '{"kit": 2}');
    await expect(writeKit(join(root, 'other'), one)).rejects.toMatchObject({ code: 'KIT_UNREADABLE' });
    expect(readdirSync(join(root, 'other')).sort()).toEqual(['file', 'kit.json']);
  });

  it('refuses to write over a file that was edited, or that it did not write, and changes nothing', async () => {
    const folder = join(scratch(), 'kit');
    await writeKit(folder, one);
    writeFileSync(join(folder, 'jobs/a/run.sh'), 'edited');
    await expect(writeKit(folder, two)).rejects.toMatchObject({
      code: 'KIT_EDITED',
      message: expect.stringContaining('jobs/a/run.sh'),
    });
    expect(read(folder, 'README.md')).toBe('one');
    expect(read(folder, 'jobs/a/run.sh')).toBe('edited');
    rmSync(join(folder, 'jobs/a/run.sh'));
    put(folder, 'jobs/c/run.sh', 'not ours');
    const three = kit({ 'jobs/c/run.sh': 'ours' });
    await expect(writeKit(folder, three)).rejects.toMatchObject({ code: 'KIT_EDITED' });
    expect(read(folder, 'jobs/c/run.sh')).toBe('not ours');
  });

  it('does not reach out of its folder by a link, nor by what a kit.json lists', async () => {
    const root = scratch();
    const folder = join(root, 'kit');
    await writeKit(folder, one);
    rmSync(join(folder, 'jobs'), { recursive: true });
    put(root, 'outside/a/run.sh', 'run a');
    symlinkSync('../outside', join(folder, 'jobs'));
    await expect(writeKit(folder, two)).rejects.toMatchObject({ code: 'KIT_EDITED' });
    expect(read(root, 'outside/a/run.sh')).toBe('run a');

    put(root, 'victim', 'precious');
    const forged = {
      kit: 1,
      study: 's',
      target: 't',
      code: '',
      jobs: [],
      files: { '../victim': sha256('precious') },
    };
    put(root, 'forged/kit.json', JSON.stringify(forged));
    await expect(writeKit(join(root, 'forged'), two)).rejects.toMatchObject({ code: 'KIT_UNREADABLE' });
    expect(read(root, 'victim')).toBe('precious');
  });

  it('mends a replacement that was cut short', async () => {
    const folder = join(scratch(), 'kit');
    await writeKit(folder, one);
    // As a kill between two renames leaves it: some files new, the list still the former one.
    writeFileSync(join(folder, 'README.md'), 'two');
    rmSync(join(folder, 'jobs/b/run.sh'));
    await writeKit(folder, two);
    expect(read(folder, 'jobs/a/run.sh')).toBe('run a again');
  });

  it('mends a first writing to an empty folder that was cut short', async () => {
    const folder = join(scratch(), 'kit');
    put(folder, `${deadName()}/README.md`, 'one');
    await writeKit(folder, one);
    rmSync(join(folder, 'jobs/b'), { recursive: true });
    await writeKit(folder, one);
    expect(read(folder, 'jobs/b/run.sh')).toBe('run b');
  });

  it('is mended by the former study too, and by a third, when a replacement was cut short', async () => {
    const three = kit({ 'README.md': 'three', 'jobs/c/run.sh': 'run c' });
    for (const next of [one, two, three]) {
      const folder = join(scratch(), 'kit');
      await writeKit(folder, one);
      // As a kill in the middle leaves it: a new file in place, a stale one gone, the rest with the list beside.
      const dead = join(folder, deadName());
      for (const [path, text] of Object.entries(two)) put(dead, path, text);
      renameSync(join(dead, 'README.md'), join(folder, 'README.md'));
      put(folder, 'jobs/only-new/run.sh', 'new');
      put(dead, 'kit.json', kit({ ...two, 'jobs/only-new/run.sh': 'new' })['kit.json'] ?? '');
      rmSync(join(folder, 'jobs/b/run.sh'));
      put(folder, 'jobs/b/out/model', 'trained');
      await writeKit(folder, next);
      for (const [path, text] of Object.entries(next)) expect(read(folder, path)).toBe(text);
      expect(existsSync(join(folder, 'jobs/only-new'))).toBe(false);
      expect(read(folder, 'jobs/b/out/model')).toBe('trained');
      expect(readdirSync(folder).sort()).toEqual(entries);
    }
  });

  it('still names what a person edited in a kit that was half replaced', async () => {
    const folder = join(scratch(), 'kit');
    await writeKit(folder, one);
    put(folder, `${deadName()}/kit.json`, two['kit.json'] ?? '');
    put(folder, 'README.md', 'mine');
    await expect(writeKit(folder, one)).rejects.toMatchObject({ code: 'KIT_EDITED' });
    expect(read(folder, 'README.md')).toBe('mine');
  });

  it('removes what dead renders left, and never what a live one is writing', async () => {
    const root = scratch();
    const [dead, elsewhere] = [deadName(), `.her-render-00000000-1-1-${'0'.repeat(8)}`];
    const live = renderFolderName();
    for (const name of [dead, elsewhere, live]) put(root, `${name}/README.md`, 'x');
    put(root, '.her-render-mine/notes', 'x');
    await writeKit(join(root, 'kit'), one);
    expect(readdirSync(root).sort()).toEqual([elsewhere, live, '.her-render-mine', 'kit'].sort());
    put(root, `kit/${live}/README.md`, 'x');
    const busy = { code: 'KIT_FOLDER_TAKEN', message: expect.stringContaining('another `her render`') };
    await expect(writeKit(join(root, 'kit'), two)).rejects.toMatchObject(busy);
    expect(read(root, 'kit/README.md')).toBe('one');
    expect(readdirSync(join(root, 'kit')).sort()).toEqual([live, ...entries].sort());
  });

  it('is a kit again after any kill, whichever study is rendered next', { timeout: 60_000 }, async () => {
    const many = (word: string): Record<string, string> =>
      kit(
        Object.fromEntries(
          Array.from({ length: 60 }, (_, i) => [`jobs/${word}${i % 40}/f${i}`, `${word}${i}`]),
        ),
      );
    const [a, b] = [kit({ ...many('a'), 'README.md': 'a' }), kit({ ...many('b'), 'README.md': 'b' })];
    const folder = join(scratch(), 'kit');
    const program = `import { writeKit } from ${JSON.stringify(join(import.meta.dirname, 'write-kit.ts'))};
      const [a, b] = ${JSON.stringify([a, b])};
      for (;;) for (const files of [a, b]) { await writeKit(${JSON.stringify(folder)}, files); process.stdout.write('.'); }`;
    let cut = 0;
    for (let round = 0; round < 12; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await setTimeout(5 + 7 * round);
      child.kill('SIGKILL');
      await once(child, 'exit');
      if (readdirSync(folder).some((name) => name.startsWith('.her-render-'))) cut++;
      const next = round % 2 === 0 ? a : b;
      await writeKit(folder, next);
      for (const [path, text] of Object.entries(next)) expect(read(folder, path)).toBe(text);
      expect(readdirSync(folder).sort()).toEqual(entries);
      expect(readdirSync(dirname(folder))).toEqual(['kit']);
    }
    expect(cut).toBeGreaterThan(3);
  });

  it('is one error at once where no folder can be made, or on a read-only disk', async () => {
    for (const folder of ['/proc/x', '/proc/x/y'])
      await expect(writeKit(folder, one)).rejects.toMatchObject({
        code: 'KIT_UNWRITABLE',
        message: expect.stringMatching(/no folder can be made in \/proc/),
      });
  });

  it('goes to the folder that a link leads to', async () => {
    const root = scratch();
    mkdirSync(join(root, 'large disk'));
    symlinkSync('large disk', join(root, 'kit'));
    await writeKit(join(root, 'kit'), one);
    await writeKit(join(root, 'kit'), two);
    expect(readdirSync(join(root, 'large disk')).sort()).toEqual(['README.md', 'jobs', 'kit.json']);
  });

  it('is as it was when the disk is full', async ({ skip }) => {
    const disk = join(scratch(), 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'pipe' });
    } catch {
      const why = 'a small file system cannot be mounted here (it takes root)';
      if (process.env['CI']) throw new Error(why);
      return skip(why);
    }
    try {
      const folder = join(disk, 'kit');
      await writeKit(folder, one);
      const large = kit({ 'README.md': 'new', 'jobs/a/run.sh': 'x'.repeat(400_000) });
      await expect(writeKit(folder, large)).rejects.toMatchObject({ code: 'DISK_FULL' });
      expect(read(folder, 'README.md')).toBe('one');
      expect(read(folder, 'jobs/b/run.sh')).toBe('run b');
      expect(readdirSync(folder).sort()).toEqual(['README.md', 'jobs', 'kit.json']);
      await expect(writeKit(join(disk, 'new'), large)).rejects.toMatchObject({ code: 'DISK_FULL' });
      expect(readdirSync(disk)).toEqual(['kit']);
      await writeKit(folder, two);
      execFileSync('mount', ['-o', 'remount,ro', disk]);
      for (const place of [folder, join(disk, 'new'), join(disk, 'new/er')])
        await expect(writeKit(place, one)).rejects.toMatchObject({
          code: 'KIT_UNWRITABLE',
          message: expect.stringContaining('the file system is read-only'),
        });
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});
