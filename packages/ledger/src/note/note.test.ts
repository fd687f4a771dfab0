import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_ROOT } from '../merkle/hash.ts';
import { scratch } from '../testing.ts';
import { decodeBase64, decodeDecimal } from './base64.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { loadOrCreateSigner } from './key-file.ts';
import { formatSkey, parseSkey, parseVkey, verifyNote } from './keys.ts';
import { formatNote, parseNote } from './signed-note.ts';

// The key pair and note of the Go package documentation of golang.org/x/mod/sumdb/note.
const GO_SKEY = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const GO_VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const signer = parseSkey(formatSkey('her.local/test', Buffer.alloc(32, 7)));
const text = formatCheckpoint('her.local/test', 3, EMPTY_ROOT);
const note = formatNote({ text, signatures: [signer.sign(text)] });

describe('a signed note', () => {
  it('of another implementation verifies, and comes out the same from ours', () => {
    const parsed = parseNote(GO_NOTE);
    expect(verifyNote(parsed, [parseVkey(GO_VKEY)])).toHaveLength(1);
    const peter = parseSkey(GO_SKEY);
    expect(peter.vkey).toBe(GO_VKEY);
    expect(formatNote({ text: parsed.text, signatures: [peter.sign(parsed.text)] })).toBe(GO_NOTE);
  });

  it('is split at its last blank line', () => {
    const inner = `a\n\nb\n\n— not a signature\n`;
    const parsed = parseNote(formatNote({ text: inner, signatures: [signer.sign(inner)] }));
    expect(parsed.text).toBe(inner);
    verifyNote(parsed, [signer]);
  });

  it('may carry signatures of unknown keys', () => {
    const other = parseSkey(formatSkey('witness.example/w', Buffer.alloc(32, 9)));
    const both = parseNote(formatNote({ text, signatures: [other.sign(text), signer.sign(text)] }));
    expect(verifyNote(both, [signer]).map(({ name }) => name)).toEqual(['her.local/test']);
    expect(() => verifyNote(both, [])).toThrow(expect.objectContaining({ code: 'LEDGER_SIGNATURE' }));
  });

  it('with one wrong signature of a known key is refused, though another holds', () => {
    const bad = { ...signer.sign('other\n') };
    const both = parseNote(formatNote({ text, signatures: [signer.sign(text), bad] }));
    expect(() => verifyNote(both, [signer])).toThrow(expect.objectContaining({ code: 'LEDGER_SIGNATURE' }));
  });

  it.each([
    ['empty', ''],
    ['only a text', 'a\n'],
    ['without signatures', 'a\n\n'],
    ['without its last newline', note.slice(0, -1)],
    ['with a hyphen for the dash', note.replace('—', '-')],
    ['with two spaces', note.replace('— ', '—  ')],
    ['with a space at the end of a signature', note.replace(/\n$/, ' \n')],
    ['with unpadded base64', note.replace(/=\n$/, '\n')],
    ['with URL base64', note.replace(/.(?=[^\n]{4}\n$)/, '_')],
    ['with too short a signature', `${text}\n— her.local/test AAAA\n`],
    ['with a plus in the name', note.replace('— her', '— h+r')],
    ['with a control character', note.replace('3', '3\u0001')],
    ['with CRLF', note.replaceAll('\n', '\r\n')],
    ['with a lone surrogate', `\ud800${note}`],
  ])('%s is malformed', (_name, malformed) => {
    expect(() => parseNote(malformed)).toThrow(expect.objectContaining({ code: 'LEDGER_NOTE_MALFORMED' }));
  });

  it('that is not UTF-8 is malformed', () => {
    expect(() => parseNote(Buffer.concat([Buffer.from([0xff]), Buffer.from(note)]))).toThrow('UTF-8');
  });

  it('with any one byte changed no longer verifies', () => {
    const bytes = Buffer.from(note);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const changed = Buffer.from(bytes);
          changed[at] = (changed[at] ?? 0) ^ flip;
          expect(() => verifyNote(parseNote(changed), [signer])).toThrow();
        },
      ),
    );
  });
});

describe('a checkpoint', () => {
  it('reads back', () => {
    fc.assert(
      fc.property(fc.nat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (size, root) => {
        const body = parseCheckpoint(formatCheckpoint('her.local/x', size, root));
        expect(body).toEqual({ origin: 'her.local/x', size, root: Buffer.from(root), extensions: [] });
      }),
    );
  });

  const root = EMPTY_ROOT.toString('base64');
  it.each([
    ['no origin', `\n3\n${root}\n`],
    ['an origin with a space', `a b\n3\n${root}\n`],
    ['an origin with a plus', `a+b\n3\n${root}\n`],
    ['a leading zero', `a\n03\n${root}\n`],
    ['a sign', `a\n+3\n${root}\n`],
    ['a hexadecimal size', `a\n0x3\n${root}\n`],
    ['no size', `a\n\n${root}\n`],
    ['a size with a space', `a\n 3\n${root}\n`],
    ['a size past 2^53', `a\n9007199254740993\n${root}\n`],
    ['a short root', `a\n3\nAAAA\n`],
    ['an unpadded root', `a\n3\n${root.slice(0, -1)}\n`],
    ['an empty extension', `a\n3\n${root}\n\n`],
    ['no last newline', `a\n3\n${root}`],
  ])('with %s is malformed', (_name, malformed) => {
    expect(() => parseCheckpoint(malformed)).toThrow(
      expect.objectContaining({ code: 'LEDGER_NOTE_MALFORMED' }),
    );
  });
});

describe('strict decoding', () => {
  it('takes only the base64 that we would write', () => {
    for (const text of ['YQ', 'YQ=', 'YQ==\n', ' YQ==', 'YR==', '_-8=', 'Y Q==']) {
      expect(decodeBase64(text)).toBeUndefined();
    }
    expect(decodeBase64('YQ==')?.toString()).toBe('a');
  });

  it('takes only the decimals that we would write', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (n) => decodeDecimal(String(n)) === n));
    fc.assert(
      fc.property(fc.string(), (s) => {
        const n = decodeDecimal(s);
        if (n !== undefined) expect(String(n)).toBe(s);
      }),
    );
  });
});

describe('keys', () => {
  it.each([
    ['a wrong id', GO_VKEY.replace('c74f20a3', 'c74f20a4')],
    ['a renamed key', GO_VKEY.replace('Peter', 'Paul')],
    ['another type', GO_VKEY.replace('+AR', '+BR')],
    ['nothing', ''],
  ])('with %s are refused', (_name, vkey) => {
    expect(() => parseVkey(vkey)).toThrow(expect.objectContaining({ code: 'LEDGER_KEY' }));
  });

  it('are made once, readable by their owner alone, and refused when others may read them', async () => {
    using place = scratch();
    const made = await loadOrCreateSigner(place.keyFile, 'her.local/test');
    expect(statSync(place.keyFile).mode & 0o777).toBe(0o600);
    expect((await loadOrCreateSigner(place.keyFile, 'her.local/test')).vkey).toBe(made.vkey);
    await expect(loadOrCreateSigner(place.keyFile, 'her.local/other')).rejects.toMatchObject({
      code: 'LEDGER_KEY',
    });
    chmodSync(place.keyFile, 0o640);
    await expect(loadOrCreateSigner(place.keyFile, 'her.local/test')).rejects.toMatchObject({
      code: 'LEDGER_KEY',
    });
  });

  it('made by many at once are one key', async () => {
    using place = scratch();
    const file = join(place.path, 'k', 'log.key');
    const made = await Promise.all(
      Array.from({ length: 8 }, () => loadOrCreateSigner(file, 'her.local/test')),
    );
    expect(new Set(made.map(({ vkey }) => vkey)).size).toBe(1);
  });
});
