import { LedgerError } from '../errors.ts';
import { decodeBase64 } from './base64.ts';

/** One signature line of a note. */
export interface NoteSignature {
  readonly name: string;
  /** Big-endian first four bytes of the key's hash, in lower-case hex. */
  readonly keyId: string;
  readonly signature: Buffer;
}

/** A signed note: a text that ends in a newline, and who signed it. */
export interface SignedNote {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const DASH = '\u2014 ';
const MAX_SIGNATURES = 100;
const MAX_BYTES = 1_000_000;

/**
 * Reads a signed note. Checks its form only; see `verifyNote` for its signatures.
 * @throws {LedgerError} `LEDGER_NOTE_MALFORMED`
 */
export function parseNote(note: string | Uint8Array): SignedNote {
  const whole = typeof note === 'string' ? note : decodeUtf8(note);
  if (whole.length > MAX_BYTES) malformed('it is too long');
  if (!whole.isWellFormed()) malformed('it is not valid UTF-8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  if (/[\u0000-\u0009\u000b-\u001f]/.test(whole)) malformed('it holds control characters');
  // The text may itself hold blank lines, so that only the last one can be the border.
  const border = whole.lastIndexOf('\n\n');
  if (border < 0) malformed('it has no blank line before its signatures');
  const text = whole.slice(0, border + 1);
  const tail = whole.slice(border + 2);
  if (tail === '' || !tail.endsWith('\n')) malformed('it does not end in a signature line');
  const lines = tail.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) malformed('it has too many signatures');
  return { text, signatures: lines.map(parseSignature) };
}

function parseSignature(line: string): NoteSignature {
  if (!line.startsWith(DASH)) malformed('a signature line does not start with an em dash and a space');
  const [name, encoded, ...more] = line.slice(DASH.length).split(' ');
  if (name === undefined || encoded === undefined || more.length > 0)
    malformed('a signature line has not two parts');
  if (!isKeyName(name)) malformed(`${JSON.stringify(name)} is not a key name`);
  const bytes = decodeBase64(encoded);
  if (bytes === undefined || bytes.length < 5) malformed('a signature is not base64, or too short');
  return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
}

/** Writes a note: the text, a blank line, the signature lines. */
export function formatNote(note: SignedNote): string {
  if (!note.text.endsWith('\n')) malformed('its text does not end in a newline');
  const lines = note.signatures.map(({ name, keyId, signature }) => {
    const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
    return `${DASH}${name} ${bytes.toString('base64')}\n`;
  });
  return `${note.text}\n${lines.join('')}`;
}

/** Whether a text may name a key, and so a log: not empty, no space of any kind, no `+`. */
export function isKeyName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  return name !== '' && name.isWellFormed() && !/[\s\u0085+\u0000-\u001f\u007f]/u.test(name);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return malformed('it is not valid UTF-8', cause);
  }
}

function malformed(why: string, cause?: unknown): never {
  throw new LedgerError('LEDGER_NOTE_MALFORMED', `not a signed note: ${why}`, { cause });
}
