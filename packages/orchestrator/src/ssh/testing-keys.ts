import { randomBytes } from 'node:crypto';
import { type KeyBlob, keyType } from './key-blob.ts';
import type { KnownKey } from './known-hosts.ts';

/** Bytes that look like a public key of that type; nobody has the other half. */
export function someKey(type = 'ssh-ed25519'): KeyBlob {
  const field = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  return Buffer.concat([field(Buffer.from(type)), field(randomBytes(32))]);
}

export function known(blob: KeyBlob, is: KnownKey['is'] = 'host', file = '/known', line = 1): KnownKey {
  return { file, line, is, type: keyType(blob) ?? '', blob };
}
