import type { Duplex } from 'node:stream';

/** What ssh2 lets a peer send before it has to hear from us, and more of the same. */
const usual = 2 * 1024 * 1024;
const wide = 8 * 1024 * 1024;

type Internals = {
  incoming?: { window?: unknown };
  outgoing?: { id?: unknown };
  _client?: { _protocol?: { channelWindowAdjust?: (id: number, bytes: number) => void } };
};

/**
 * Lets the far side have more bytes on their way: a window of ssh2 empties in one round trip, so that a long way would
 * carry no more than 2 MB in each. ssh2 has no setting for it. It goes on counting a window of the usual size, which
 * stands for the end of the real one; where a version of it is built otherwise, nothing is changed.
 * @returns whether it was widened
 */
export function widenWindow(channel: Duplex): boolean {
  const { incoming, outgoing, _client: client } = channel as Internals;
  const protocol = client?._protocol;
  if (incoming?.window !== usual || typeof outgoing?.id !== 'number') return false;
  if (typeof protocol?.channelWindowAdjust !== 'function') return false;
  let counted = usual;
  Object.defineProperty(incoming, 'window', {
    // Less than nothing is left of the usual window where a reader is slow; at nothing ssh2 would throw bytes away.
    get: () => (counted === 0 ? -0.5 : counted),
    set: (value: number) => {
      counted = Math.ceil(value);
    },
  });
  protocol.channelWindowAdjust(outgoing.id, wide - usual);
  return true;
}
