import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@her/ledger';
import { expect, it } from 'vitest';
import { foldLedger } from '../session.ts';
import { fingerprint } from './key-blob.ts';
import { hostKeyRecorder, type SeenHostKey, seenUnder } from './seen-host-key.ts';
import { known, someKey } from './testing-keys.ts';

it('a key goes into the ledger once, and again when it was taken out between', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'her-seen-'));
  const options = { dir: join(folder, 'l'), origin: 'her.local/s', keyFile: join(folder, 'key') };
  const key = someKey();
  const seen = (how: SeenHostKey['how']): SeenHostKey[] => [
    { host: 'h1', fingerprint: fingerprint(key), algorithm: 'ssh-ed25519', how, file: '/known' },
  ];
  for (const how of ['known', 'known', 'accepted', 'known', 'removed', 'accepted'] as const) {
    const ledger = await openLedger(options);
    const { hostKeys } = await foldLedger(options.dir);
    await hostKeyRecorder(ledger, 's', hostKeys)(seen(how));
    await ledger.close();
  }
  const ledger = await openLedger(options);
  const hows: string[] = [];
  for await (const entry of ledger.entries()) if (entry.kind === 'host.key') hows.push(entry.how);
  await ledger.close();
  await rm(folder, { recursive: true });
  expect(hows).toEqual(['known', 'accepted', 'removed', 'accepted']);
});

it('a key was accepted by the file of the project, and known by any other', () => {
  const key = someKey();
  const under = (file: string) =>
    seenUnder(
      'h1',
      fingerprint(key),
      { name: 'h1', keys: [known(key, 'host', file)], atUsualPort: [] },
      '/ours',
    );
  expect(under('/ours')?.how).toBe('accepted');
  expect(under('/theirs')?.how).toBe('known');
  expect(
    seenUnder('h1', fingerprint(someKey()), { name: 'h1', keys: [known(key)], atUsualPort: [] }, '/ours'),
  ).toBeUndefined();
});
