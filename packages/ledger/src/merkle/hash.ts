import { hash } from 'node:crypto';

/** Bytes in a hash. */
export const HASH_SIZE = 32;

const LEAF = Buffer.of(0x00);
const NODE = Buffer.of(0x01);

/** SHA-256 of some bytes. */
export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** SHA-256 of some bytes, in lower-case hex. */
export function sha256Hex(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The hash of a leaf (RFC 6962 §2.1): the 0x00 keeps leaves and nodes apart. */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, entry]));
}

/** The hash of an inner node (RFC 6962 §2.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

/** The root of the tree without entries. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));
