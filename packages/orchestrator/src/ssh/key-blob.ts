import { createHash } from 'node:crypto';

/** A public key as it goes over the wire: its type is in front. */
export type KeyBlob = Buffer;

/** What kind of key it is (`ssh-ed25519`); undefined where the bytes are no key. */
export function keyType(blob: KeyBlob): string | undefined {
  const word = readString(blob, 0);
  const type = word?.value.toString('latin1');
  return type !== undefined && /^[\w@.-]+$/.test(type) ? type : undefined;
}

/** As OpenSSH prints it, and people compare it. */
export function fingerprint(blob: KeyBlob): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** A length, and that many bytes. */
export function readString(bytes: Buffer, at: number): { value: Buffer; end: number } | undefined {
  if (at + 4 > bytes.length) return undefined;
  const end = at + 4 + bytes.readUInt32BE(at);
  return end > bytes.length ? undefined : { value: bytes.subarray(at + 4, end), end };
}

/** `TYPE BASE64 …`, as in a public key file or after the names of a known_hosts line. */
export function parsePublicKey(text: string): { type: string; blob: KeyBlob } | undefined {
  const [type = '', base64 = ''] = text.trim().split(/\s+/);
  const blob = Buffer.from(base64, 'base64');
  return type !== '' && keyType(blob) === type ? { type, blob } : undefined;
}
