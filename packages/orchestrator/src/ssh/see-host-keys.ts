import { hostKeyGroups, type Offer, offer } from './algorithms.ts';
import { usualTiming } from './connection.ts';
import { connectionError, NeedsSystemSsh } from './connection-error.ts';
import type { Dial } from './dial.ts';
import { shownHost } from './host-key-errors.ts';
import type { KeyBlob } from './key-blob.ts';
import { openClient } from './open-client.ts';
import type { SshConfig } from './resolve.ts';
import { notReached } from './unreachable.ts';

/**
 * The keys of a host, one for each family that it has, each of which it has proven to hold. Nobody is let in, and nothing
 * that is ours is sent.
 * @throws {NeedsSystemSsh} where ssh2 knows none of its types or has no other algorithm in common with it
 */
export async function seeHostKeys(config: SshConfig, dial: Dial): Promise<KeyBlob[]> {
  const offered = offer(config, new Set());
  const groups = hostKeyGroups(offered.serverHostKey);
  const looks = await Promise.allSettled(
    groups.map((serverHostKey) => seeOne(config, { ...offered, serverHostKey }, dial)),
  );
  // A host that did not answer once may have a key that was not seen: none of it is shown then.
  const failed = looks.find(
    (look): look is PromiseRejectedResult =>
      look.status === 'rejected' && !(look.reason instanceof NeedsSystemSsh),
  );
  if (failed !== undefined) throw failed.reason;
  const keys = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
  if (keys.length > 0) return keys;
  throw looks.find((look) => look.status === 'rejected')?.reason ?? new NeedsSystemSsh('its host key');
}

async function seeOne(config: SshConfig, algorithms: Offer, dial: Dial): Promise<KeyBlob> {
  const { connectMs, handshakeMs } = usualTiming;
  const { client, begin, destroy } = await openClient(config, algorithms, dial, connectMs);
  const seen = Promise.withResolvers<KeyBlob>();
  const late = setTimeout(
    () => seen.reject(notReached(shownHost(config), 'no answer to the start of SSH')),
    handshakeMs,
  );
  let shown: KeyBlob | undefined;
  client.on('error', (error) => seen.reject(connectionError(config, error, undefined, false)));
  client.on('close', () => seen.reject(notReached(shownHost(config), 'the connection was closed')));
  // The key is shown before its signature was checked; at the end of the handshake it has been.
  client.on('handshake', () => shown && seen.resolve(shown));
  try {
    begin({
      hostVerifier: (key: Buffer) => {
        shown = Buffer.from(key);
        return true;
      },
      authHandler: () => undefined,
    });
    return await seen.promise;
  } finally {
    clearTimeout(late);
    destroy();
  }
}
