import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findKnown, knownName, parseFound } from './known-hosts.ts';
import { someKey } from './testing-keys.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-known-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}
const line = (names: string, key: Buffer, type = 'ssh-ed25519') =>
  `${names} ${type} ${key.toString('base64')}`;

describe('known_hosts', () => {
  it('is read past remarks, wrong lines and the line ends of another system', async () => {
    const [key, other, signing, gone] = [someKey(), someKey(), someKey(), someKey()];
    const file = await write(
      'mixed',
      [
        '# a remark',
        'h1 ssh-ed25519 not-base64!',
        'h1',
        '@unknown-marker h1 ssh-ed25519 AAAA',
        `${line('h1,10.0.0.1', key)} remark`,
        line('h2', other),
        `@cert-authority *.site,h1 ${line('', signing).trim()}`,
        `@revoked * ${line('', gone).trim()}`,
        '',
      ].join('\r\n'),
    );
    const found = await findKnown('h1', [file]);
    expect(found.map(({ is, line: at, blob }) => [is, at, blob])).toEqual([
      ['host', 5, key],
      ['authority', 7, signing],
      ['revoked', 8, gone],
    ]);
    expect((await findKnown('10.0.0.1', [file])).map(({ line: at }) => at)).toEqual([5, 8]);
  });

  it('is read where its names are hashed', async () => {
    const key = someKey();
    const file = await write('hashed', `${line('h1', key)}\n${line('[h1]:2222', someKey())}\n`);
    await execa('ssh-keygen', ['-H', '-f', file]);
    expect((await findKnown('h1', [file])).map(({ blob }) => blob)).toEqual([key]);
    expect(await findKnown(knownName('h1', 2222), [file])).toHaveLength(1);
    expect(await findKnown('h2', [file])).toEqual([]);
  });

  it('knows nothing where there is no file, and refuses where there is one that cannot be read', async () => {
    expect(await findKnown('h1', [join(folder, 'none')])).toEqual([]);
    await expect(findKnown('h1', [folder])).rejects.toMatchObject({ code: 'KNOWN_HOSTS_UNREADABLE' });
    if (process.getuid?.() === 0) return;
    const file = await write('closed', '');
    await chmod(file, 0);
    await expect(findKnown('h1', [file])).rejects.toMatchObject({ code: 'KNOWN_HOSTS_UNREADABLE' });
  });

  it('takes whatever the tool prints for lines or for nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { blob } of parseFound(text, '/f')) expect(blob.length).toBeGreaterThan(4);
      }),
    );
  });
});
