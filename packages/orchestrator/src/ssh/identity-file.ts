import { readFile, stat } from 'node:fs/promises';
import ssh2 from 'ssh2';
import { type KeyBlob, keyType, parsePublicKey, readString } from './key-blob.ts';

/** A file that IdentityFile names, as far as it can be read without its passphrase. */
export type IdentityFile = {
  path: string;
  /** Null where only the agent, or the passphrase, could tell. */
  publicKey: KeyBlob | null;
  /** Null: only the public part is there, or only OpenSSH can use it. */
  privateKey: Buffer | null;
  locked: boolean;
  /** A key that a device holds (`sk-…`): OpenSSH alone can ask it. */
  onDevice: boolean;
  /** Why it is passed over, as OpenSSH does. */
  refused: string | null;
  /** A certificate lies beside it. */
  certified: boolean;
};

/** Undefined where nothing is there. */
export async function readIdentity(path: string): Promise<IdentityFile | undefined> {
  const [text, beside, certificate] = await Promise.all([
    readFile(path).catch(() => undefined),
    readFile(`${path}.pub`, 'utf8').catch(() => undefined),
    stat(`${path}-cert.pub`).catch(() => undefined),
  ]);
  const publicBeside = beside === undefined ? undefined : parsePublicKey(beside);
  const certified = certificate !== undefined;
  if (text === undefined) {
    if (publicBeside === undefined) return undefined;
    const onDevice = publicBeside.type.startsWith('sk-');
    return {
      path,
      publicKey: publicBeside.blob,
      privateKey: null,
      locked: false,
      onDevice,
      refused: null,
      certified,
    };
  }
  const own = parsePublicKey(text.toString('utf8'));
  if (own !== undefined) {
    const onDevice = own.type.startsWith('sk-');
    return { path, publicKey: own.blob, privateKey: null, locked: false, onDevice, refused: null, certified };
  }
  const { publicKey, locked } = peek(text, publicBeside?.blob ?? null);
  const onDevice = publicKey !== null && (keyType(publicKey)?.startsWith('sk-') ?? false);
  const refused = await tooOpen(path);
  return { path, publicKey, privateKey: onDevice ? null : text, locked, onDevice, refused, certified };
}

/** The public part, and whether a passphrase is needed for the other. */
function peek(text: Buffer, beside: KeyBlob | null): { publicKey: KeyBlob | null; locked: boolean } {
  const pem = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(text.toString('latin1'))?.[1];
  const bytes = pem === undefined ? undefined : Buffer.from(pem, 'base64');
  const magic = 'openssh-key-v1\0';
  if (bytes?.subarray(0, magic.length).toString('latin1') === magic) {
    const cipher = readString(bytes, magic.length);
    const derivation = cipher && readString(bytes, cipher.end);
    const options = derivation && readString(bytes, derivation.end);
    const key = options && readString(bytes, options.end + 4);
    return { publicKey: key?.value ?? beside, locked: cipher?.value.toString('latin1') !== 'none' };
  }
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error)
    return { publicKey: beside, locked: /encrypted|passphrase/i.test(parsed.message) };
  const [key] = Array.isArray(parsed) ? parsed : [parsed];
  return { publicKey: key?.getPublicSSH() ?? beside, locked: false };
}

/** OpenSSH ignores a private key that others could have read. */
async function tooOpen(path: string): Promise<string | null> {
  const { mode, uid } = await stat(path);
  const mine = process.getuid === undefined || uid === process.getuid();
  return mine && (mode & 0o077) !== 0 ? `others may read ${path} (chmod 600)` : null;
}
