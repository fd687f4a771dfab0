import { HerError } from '../errors.ts';
import { shownHost } from './host-key-errors.ts';
import { fingerprint, type KeyBlob } from './key-blob.ts';
import type { SshConfig } from './resolve.ts';

/** What a person said beforehand about the keys to accept. */
export type Acceptance = {
  yes: boolean;
  /** As OpenSSH prints them: `SHA256:…`. */
  fingerprints: readonly string[];
};

/** Asks the person at the terminal; undefined where nobody is there. */
export type Ask = ((prompt: string) => Promise<string | undefined>) | undefined;

/**
 * Which of the keys that a host shows are accepted.
 * @throws {HerError} `HOST_KEY_NOT_ACCEPTED` where none is
 */
export async function chooseKeys(
  config: SshConfig,
  shown: readonly KeyBlob[],
  { yes, fingerprints }: Acceptance,
  ask: Ask,
): Promise<KeyBlob[]> {
  const host = shownHost(config);
  const listed = shown.map(fingerprint).join(', ');
  if (fingerprints.length > 0) {
    const chosen = shown.filter((key) => fingerprints.includes(fingerprint(key)));
    if (chosen.length > 0) return chosen;
    throw new HerError('HOST_KEY_NOT_ACCEPTED', `${host} shows ${listed}, which is none that was named`, {
      hint: 'Nothing was written for it: another machine answers there, or --fingerprint names the key of another host.',
    });
  }
  if (yes) return [...shown];
  if (ask === undefined)
    throw new HerError('HOST_KEY_NOT_ACCEPTED', `${host} shows ${listed}, and nobody is there to be asked`, {
      hint: `Nothing was written. Compare it, then: \`her host add ${config.name} --fingerprint ${shown[0] ? fingerprint(shown[0]) : 'SHA256:…'}\`.`,
    });
  for (;;) {
    const answer = (
      await ask(`Accept as ${config.name}? [y/N, or the fingerprint that you expect] `)
    )?.trim();
    if (answer !== undefined && /^y(es)?$/i.test(answer)) return [...shown];
    if (answer?.startsWith('SHA256:')) {
      const chosen = shown.filter((key) => fingerprint(key) === answer.replace(/=+$/, ''));
      if (chosen.length > 0) return chosen;
      throw new HerError('HOST_KEY_NOT_ACCEPTED', `${host} shows ${listed}, and not ${answer}`);
    }
    if (answer === undefined || answer === '' || /^no?$/i.test(answer))
      throw new HerError('HOST_KEY_NOT_ACCEPTED', `the key of ${host} was not accepted`);
  }
}
