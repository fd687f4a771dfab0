import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findKnown } from './known-hosts.ts';
import { acceptKeys, withoutName } from './known-hosts-file.ts';
import { remarkedHosts } from './remarked-hosts.ts';
import { known, someKey } from './testing-keys.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-accept-'));
  file = join(folder, 'new', 'known_hosts');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('accepting keys', () => {
  it('adds each key once, behind what a person wrote', async () => {
    const [first, second] = [someKey(), someKey('ssh-rsa')];
    await acceptKeys(file, { name: '10.0.0.1', host: 'h1', keys: [first] }, false);
    await writeFile(file, `# mine\n${await readFile(file, 'utf8')}`.trimEnd());
    await acceptKeys(file, { name: '10.0.0.1', host: 'h1', keys: [first, second] }, false);
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('# mine');
    expect(await findKnown('10.0.0.1', [file])).toMatchObject([{ blob: first }, { blob: second }]);
    expect(await remarkedHosts(file)).toEqual(['h1']);
  });

  it('says where nothing can be written', async () => {
    await writeFile(join(folder, 'a-file'), '');
    const under = join(folder, 'a-file', 'known_hosts');
    await expect(
      acceptKeys(under, { name: 'h1', host: 'h1', keys: [someKey()] }, false),
    ).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
    });
  });

  it('loses none of many that are accepted at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `h${at}`);
    const keys = [someKey()];
    await Promise.all(
      [...names, ...names].map((name) => acceptKeys(file, { name, host: name, keys }, false)),
    );
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(20);
    expect(await readdir(join(folder, 'new'))).toEqual(['known_hosts']);
  });

  it('goes on where one that was killed left its lock', async () => {
    await acceptKeys(file, { name: 'h1', host: 'h1', keys: [someKey()] }, false);
    await writeFile(`${file}.lock`, '');
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(`${file}.lock`, longAgo, longAgo);
    await acceptKeys(file, { name: 'h2', host: 'h2', keys: [someKey()] }, false);
    expect(await remarkedHosts(file)).toEqual(['h1', 'h2']);
  });

  it('puts a key in the place of another, and leaves other hosts theirs', async () => {
    const [was, is, other] = [someKey(), someKey(), someKey()];
    await acceptKeys(file, { name: 'h1', host: 'h1', keys: [was] }, false);
    await acceptKeys(file, { name: 'h2', host: 'h2', keys: [other] }, false);
    expect(await acceptKeys(file, { name: 'h1', host: 'h1', keys: [is] }, true)).toMatchObject([
      { blob: was },
    ]);
    expect(await findKnown('h1', [file])).toMatchObject([{ blob: is }]);
    expect(await findKnown('h2', [file])).toMatchObject([{ blob: other }]);
  });

  it('takes a name out of a line with several, and denies it to a pattern', () => {
    const key = known(someKey()).blob.toString('base64');
    const text = `h1,h2 ssh-ed25519 ${key}\n|1|a|b ssh-ed25519 ${key}\nh* ssh-ed25519 ${key}\nh1 ssh-ed25519 ${key}\n`;
    expect(withoutName(text, new Set([1, 2, 3]), 'h1')).toEqual([
      `h2 ssh-ed25519 ${key}`,
      `h*,!h1 ssh-ed25519 ${key}`,
      `h1 ssh-ed25519 ${key}`,
    ]);
  });
});
