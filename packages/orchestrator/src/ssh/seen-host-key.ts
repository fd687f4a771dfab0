import type { Ledger } from '@her/ledger';
import type { KnownHost } from './host-keys.ts';
import { fingerprint } from './key-blob.ts';

/** A host's key, as it goes into the ledger. `known`: by a file that is not the project's own. */
export type SeenHostKey = {
  host: string;
  fingerprint: string;
  algorithm: string;
  how: 'accepted' | 'known' | 'removed';
  file: string;
};

/**
 * Writes keys of hosts into a ledger, each once: what is there already, and still holds, is not written again.
 * The one who returned may be called as often as a host is connected to.
 * @param recorded what the ledger says of each key, by `fingerprint host`
 */
export function hostKeyRecorder(
  ledger: Pick<Ledger, 'append'>,
  study: string,
  recorded: ReadonlyMap<string, SeenHostKey['how']>,
): (seen: readonly SeenHostKey[]) => Promise<void> {
  const standing = new Map(recorded);
  const of = ({ host, fingerprint }: Pick<SeenHostKey, 'host' | 'fingerprint'>): string =>
    `${fingerprint} ${host}`;
  return async (seen) => {
    const fresh = seen.filter((key) => {
      const was = standing.get(of(key));
      // That a key is known is no news where it was accepted before.
      return was !== key.how && !(was === 'accepted' && key.how === 'known');
    });
    if (fresh.length === 0) return;
    for (const key of fresh) standing.set(of(key), key.how);
    await ledger.append(fresh.map((key) => ({ kind: 'host.key' as const, study, ...key })));
  };
}

/** Which of the known keys a host was reached under; undefined where the key is vouched for by none of these lines. */
export function seenUnder(
  host: string,
  fingerprintSeen: string,
  { keys, atUsualPort }: KnownHost,
  project: string,
): SeenHostKey | undefined {
  const line = [...keys, ...atUsualPort].find(
    ({ is, blob }) => is === 'host' && fingerprint(blob) === fingerprintSeen,
  );
  const by = line ?? keys.find(({ is }) => is === 'authority');
  if (by === undefined) return undefined;
  return {
    host,
    fingerprint: fingerprintSeen,
    algorithm: by.type,
    how: by.file === project ? 'accepted' : 'known',
    file: by.file,
  };
}
