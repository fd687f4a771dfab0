import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { LedgerError } from '../errors.ts';
import { sha256 } from '../merkle/hash.ts';
import { decodeBase64 } from './base64.ts';
import { isKeyName, type NoteSignature, type SignedNote } from './signed-note.ts';

const ED25519 = 0x01;
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A key that checks signatures of one log. */
export interface NoteVerifier {
  readonly name: string;
  readonly keyId: string;
  /** `<name>+<id>+<base64 key>`, what others are given. */
  readonly vkey: string;
  verify(text: string, signature: Uint8Array): boolean;
}

/** A key that signs for one log. */
export interface NoteSigner extends NoteVerifier {
  sign(text: string): NoteSignature;
}

/**
 * Reads a verifier key (`vkey`).
 * @throws {LedgerError} `LEDGER_KEY`
 */
export function parseVkey(vkey: string): NoteVerifier {
  const { name, key } = parseKey(vkey.trimEnd().split('+'), 'verifier key');
  return verifierOf(name, key);
}

/**
 * Reads a signer key (`PRIVATE+KEY+…`). Its text is never part of an error.
 * @throws {LedgerError} `LEDGER_KEY`
 */
export function parseSkey(skey: string): NoteSigner {
  const [first, second, ...parts] = skey.trimEnd().split('+');
  if (first !== 'PRIVATE' || second !== 'KEY') badKey('signer key', 'it does not start with PRIVATE+KEY+');
  const { name, keyId, key } = parseKey(parts, 'signer key', true);
  return signerOf(name, key, keyId);
}

/** Writes the signer key of a 32-byte seed. */
export function formatSkey(name: string, seed: Uint8Array): string {
  const { keyId } = signerOf(name, seed);
  return `PRIVATE+KEY+${name}+${keyId}+${typed(seed).toString('base64')}`;
}

/**
 * Checks a note against trusted keys: unknown signers are passed over, a wrong signature of a known key
 * is fatal, and at least one must hold. Returns the trusted keys that signed.
 * @throws {LedgerError} `LEDGER_SIGNATURE`
 */
export function verifyNote(note: SignedNote, trusted: readonly NoteVerifier[]): NoteVerifier[] {
  const signers = new Set<NoteVerifier>();
  for (const { name, keyId, signature } of note.signatures) {
    const key = trusted.find((candidate) => candidate.name === name && candidate.keyId === keyId);
    if (key === undefined) continue;
    if (!key.verify(note.text, signature)) {
      throw new LedgerError('LEDGER_SIGNATURE', `the signature of ${name} (key ${keyId}) is wrong`);
    }
    signers.add(key);
  }
  if (signers.size === 0) throw new LedgerError('LEDGER_SIGNATURE', 'no trusted key signed this note');
  return [...signers];
}

function parseKey(
  parts: string[],
  what: string,
  secret = false,
): { name: string; keyId: string; key: Buffer } {
  // Base64 may hold `+`, names may not.
  const [name, keyId, ...rest] = parts;
  if (name === undefined || keyId === undefined || !isKeyName(name))
    return badKey(what, 'it has no usable name');
  const bytes = decodeBase64(rest.join('+'));
  if (bytes === undefined || bytes.length !== 33) return badKey(what, 'it does not hold a key of 32 bytes');
  if (bytes[0] !== ED25519) return badKey(what, 'it is not an Ed25519 key');
  const key = bytes.subarray(1);
  const expected = secret ? signerOf(name, key).keyId : keyIdOf(name, key);
  if (keyId !== expected) return badKey(what, 'its id does not belong to its name and key');
  return { name, keyId, key };
}

function keyIdOf(name: string, publicKey: Uint8Array): string {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), typed(publicKey)])).toString('hex', 0, 4);
}

function typed(key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(ED25519), key]);
}

function verifierOf(name: string, publicKey: Uint8Array): NoteVerifier {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  const keyId = keyIdOf(name, publicKey);
  return {
    name,
    keyId,
    vkey: `${name}+${keyId}+${typed(publicKey).toString('base64')}`,
    verify: (text, signature) => verify(null, Buffer.from(text), key, signature),
  };
}

function signerOf(name: string, seed: Uint8Array, knownId?: string): NoteSigner {
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const verifier = verifierOf(name, spki.subarray(SPKI_PREFIX.length));
  const keyId = knownId ?? verifier.keyId;
  return { ...verifier, sign: (text) => ({ name, keyId, signature: sign(null, Buffer.from(text), key) }) };
}

function badKey(what: string, why: string): never {
  throw new LedgerError('LEDGER_KEY', `not a ${what}: ${why}`);
}
