import { HerError } from '../errors.ts';
import { hostKeyError, known, shownHost } from './host-key-errors.ts';
import { judge, type KnownHost } from './host-keys.ts';
import { fingerprint, type KeyBlob, keyType } from './key-blob.ts';
import type { KnownKey } from './known-hosts.ts';
import type { SshConfig } from './resolve.ts';

/** All the keys that a host shows, held against what is known of it. */
export type Standing = {
  is: 'known' | 'unknown' | 'changed';
  shown: readonly KeyBlob[];
  /** Those of them that known_hosts has, with their lines. */
  fits: readonly KnownKey[];
  /** Keys that are known and that it does not show any more. */
  others: readonly KnownKey[];
};

/** @throws {HerError} `HOST_KEY_REVOKED` where one of them is */
export function standingOf(config: SshConfig, host: KnownHost, shown: readonly KeyBlob[]): Standing {
  const fits: KnownKey[] = [];
  const others = new Set<KnownKey>();
  let changed = false;
  for (const key of shown) {
    const verdict = judge(host, key);
    if (verdict.is === 'revoked') throw hostKeyError(config, key, verdict);
    if (verdict.is === 'known') fits.push(verdict.by);
    if (verdict.is === 'changed') {
      changed = true;
      for (const was of verdict.was) others.add(was);
    }
    if (verdict.is === 'unknown') for (const was of verdict.others) others.add(was);
  }
  const former = [...others].filter(({ blob }) => !shown.some((key) => key.equals(blob)));
  // A key of another type than the known ones is a change too, where none of those is shown.
  const is = changed || (fits.length === 0 && former.length > 0) ? 'changed' : null;
  return { is: is ?? (fits.length > 0 ? 'known' : 'unknown'), shown, fits, others: former };
}

/** The refusal of a changed key that nobody said may replace the known one. */
export function changedError(config: SshConfig, { shown, others, fits }: Standing): HerError {
  const fresh = shown.filter((key) => !fits.some(({ blob }) => blob.equals(key)));
  const now = fresh.map((key) => `${keyType(key)} ${fingerprint(key)}`).join(', ');
  return new HerError(
    'HOST_KEY_CHANGED',
    `${shownHost(config)} shows ${now}, but ${known(others)} is known; either it was set up anew or somebody is in between`,
    {
      hint: `Nothing was written. If the new key is right: \`her host add ${config.name} --replace --fingerprint ${fresh[0] ? fingerprint(fresh[0]) : 'SHA256:…'}\`.`,
    },
  );
}
