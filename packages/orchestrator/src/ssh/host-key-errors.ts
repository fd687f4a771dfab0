import { HerError } from '../errors.ts';
import type { Verdict } from './host-keys.ts';
import { fingerprint, type KeyBlob, keyType } from './key-blob.ts';
import type { KnownKey } from './known-hosts.ts';
import type { SshConfig } from './resolve.ts';

/** The refusal of a host's key; undefined where it is known. */
export function hostKeyError(config: SshConfig, presented: KeyBlob, verdict: Verdict): HerError | undefined {
  const host = shownHost(config);
  const key = `${keyType(presented) ?? 'a'} key ${fingerprint(presented)}`;
  switch (verdict.is) {
    case 'known':
      return undefined;
    case 'revoked':
      return new HerError(
        'HOST_KEY_REVOKED',
        `${host} shows the ${key}, which is revoked (${place(verdict.by)})`,
      );
    case 'changed':
      return new HerError(
        'HOST_KEY_CHANGED',
        `${host} shows the ${key}, but ${known(verdict.was)} is known; either it was set up anew or somebody is in between`,
        { hint: `Nothing was sent. If the new key is right: ${acceptWith(config, presented)}.` },
      );
    case 'unknown':
      return new HerError(
        'HOST_KEY_UNKNOWN',
        `${host} shows the ${key}, which no known_hosts has${verdict.others.length === 0 ? '' : `; ${known(verdict.others)} is known`}`,
        {
          hint:
            verdict.others.length === 0
              ? `Compare it with one from a source that you trust, then accept it: \`her host add ${config.name}\`.`
              : `Nothing was sent. If it is right: ${acceptWith(config, presented)}.`,
        },
      );
    case 'needs-system-ssh':
      return new HerError(
        'HOST_KEY_UNKNOWN',
        `${host} shows the ${key} without a certificate of the authority that ${place(verdict.by)} asks for`,
        { hint: `If the key is right: \`her host add ${config.name}\`.` },
      );
  }
}

/** `h1 (10.77.0.1)`, `h1 (10.77.0.1:2222)`. */
export function shownHost({ name, hostname, port }: SshConfig): string {
  const at = port === 22 ? hostname : `${hostname}:${port}`;
  return at === name ? name : `${name} (${at})`;
}

/** `SHA256:… (FILE:LINE)`. */
export function known(keys: readonly KnownKey[]): string {
  return keys.map((key) => `${fingerprint(key.blob)} (${place(key)})`).join(', ');
}

function place({ file, line }: KnownKey): string {
  return `${file}:${line}`;
}

function acceptWith({ name }: SshConfig, presented: KeyBlob): string {
  return `\`her host add ${name} --replace --fingerprint ${fingerprint(presented)}\``;
}
