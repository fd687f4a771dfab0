import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EntryOf, openLedger, readEntries } from '@her/ledger';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openHome } from '../packages/orchestrator/src/home.ts';
import { foldLedger } from '../packages/orchestrator/src/session.ts';
import { hostKeyRecorder, type SeenHostKey } from '../packages/orchestrator/src/ssh/seen-host-key.ts';
import { bedlessReason } from './support/bed.ts';
import { her } from './support/her.ts';
import { fingerprint, openSshBed, type SshBed } from './support/ssh-bed.ts';
import { openRunners } from './support/ssh-runners.ts';

const why = bedlessReason('her host add');

let bed: SshBed;

async function keysIn(dir: string): Promise<EntryOf<'host.key'>[]> {
  const keys: EntryOf<'host.key'>[] = [];
  for await (const entry of readEntries(dir)) if (entry.kind === 'host.key') keys.push(entry);
  return keys;
}

describe.skipIf(why !== null)('accepted host keys', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    bed = await openSshBed();
  }, 900_000);
  afterEach(() => bed.reset());
  afterAll(() => bed?.close());

  test('her host add accepts what is right, on both sides of a jump host, once, and into the ledger', async () => {
    const root = await mkdtemp(join(bed.folder, 'home-'));
    const nothing = join(root, 'nothing-known');
    await bed.useConfig('Host *', `  UserKnownHostsFile ${nothing}`);
    const config = String(process.env['HER_SSH_CONFIG']);
    const add = (...args: string[]) =>
      her(root, ['host', 'add', ...args], {
        env: { HER_HOME: root, HER_SSH_CONFIG: config },
        stdin: 'ignore',
      });
    const key = async (host: string) =>
      fingerprint.exec(
        (await execa('ssh-keygen', ['-lF', host, '-f', String(bed.ssh.knownHosts['right'])])).stdout,
      )?.[0] ?? '';
    const [jump, first] = [await key('j'), await key('h1')];

    const alone = await add('h1');
    expect(alone).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('[HOST_KEY_NOT_ACCEPTED]') });
    expect(String(alone.stderr)).toContain(jump);
    // The way to h1 is not taken before j is known.
    expect(String(alone.stderr)).not.toContain(first);
    expect(await add('h1', '--fingerprint', first)).toMatchObject({ exitCode: 5 });

    const home = openHome(root);
    const dir = home.study('s').ledger;
    await (
      await openLedger({ dir, origin: 'her.local/s-1', keyFile: home.keyFile('her.local/s-1') })
    ).close();
    const both = ['--fingerprint', jump, '--fingerprint', first];
    const accepted = await Promise.all([add('h1', ...both), add('h1', ...both, '--study', 's')]);
    expect(accepted.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect((await readFile(join(root, 'known_hosts'), 'utf8')).split('\n')).toHaveLength(3);
    const recorded = await keysIn(dir);
    expect(recorded.map(({ host, fingerprint: is, how }) => [host, is, how])).toEqual([
      ['j', jump, 'accepted'],
      ['h1', first, 'accepted'],
    ]);

    const { stdout } = await her(root, ['host', 'list', '--json'], {
      env: { HER_HOME: root, HER_SSH_CONFIG: config },
    });
    expect(JSON.parse(String(stdout))).toMatchObject([
      { host: 'h1', at: 'root@10.77.0.1:22', way: ['j'], by: 'ssh2', keys: [{ fingerprint: first }] },
      { host: 'j', way: [], keys: [{ fingerprint: jump }] },
    ]);
    // What a run does with the keys that it meets.
    const own = openRunners(root);
    const seen: SeenHostKey[] = [];
    const runner = await own.open('h1', { onHostKeys: (keys) => seen.push(...keys) });
    await runner.connect();
    await own.close();
    const ledger = await openLedger({ dir, origin: 'her.local/s-1', keyFile: home.keyFile('her.local/s-1') });
    await hostKeyRecorder(ledger, 's', (await foldLedger(dir)).hostKeys)(seen);
    await ledger.close();
    expect(seen.map(({ host, how }) => [host, how])).toEqual([
      ['j', 'accepted'],
      ['h1', 'accepted'],
    ]);
    expect(await keysIn(dir)).toHaveLength(2);
  });

  test('her host add takes a changed key only where it is told to, and a revoked one never', async () => {
    const root = await mkdtemp(join(bed.folder, 'home-'));
    const add = (...args: string[]) =>
      her(root, ['host', 'add', ...args], {
        env: { HER_HOME: root, HER_SSH_CONFIG: bed.ssh.config },
        stdin: 'ignore',
      });
    const changed = await add('h1-changed', '--yes');
    expect(changed).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('[HOST_KEY_CHANGED]') });
    expect(await add('h1-revoked', '--yes', '--replace')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('[HOST_KEY_REVOKED]'),
    });
    await expect(readFile(join(root, 'known_hosts'))).rejects.toThrow();
    expect(await add('h1-changed', '--yes', '--replace')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('known until now'),
    });
    const own = openRunners(root);
    expect((await (await own.open('h1-changed')).run(['hostname'])).stdout).toBe('h1\n');
    await own.close();
  });
});
