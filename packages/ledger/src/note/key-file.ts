import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf, LedgerError } from '../errors.ts';
import { syncFolder } from '../files.ts';
import { formatSkey, type NoteSigner, parseSkey } from './keys.ts';

/**
 * Reads the signing key of a log, or makes one (mode 0600) when there is none.
 * @throws {LedgerError} `LEDGER_KEY` when others may read it, or it belongs to another log
 */
export async function loadOrCreateSigner(keyFile: string, origin: string): Promise<NoteSigner> {
  const signer = (await loadSigner(keyFile)) ?? (await createSigner(keyFile, origin));
  if (signer.name === origin) return signer;
  throw new LedgerError('LEDGER_KEY', `the key in ${keyFile} is for the log ${signer.name}, not ${origin}`, {
    hint: 'give each log its own key file',
  });
}

async function loadSigner(keyFile: string): Promise<NoteSigner | undefined> {
  try {
    const handle = await open(keyFile, 'r');
    try {
      const { mode } = await handle.stat();
      if ((mode & 0o077) !== 0) {
        throw new LedgerError('LEDGER_KEY', `others may read the signing key ${keyFile}`, {
          hint: `chmod 600 ${keyFile} — and if anyone could have read it, treat the key as known to them`,
        });
      }
      return parseSkey(await handle.readFile('utf8'));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function createSigner(keyFile: string, origin: string): Promise<NoteSigner> {
  const folder = dirname(keyFile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${keyFile}.${randomBytes(8).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${formatSkey(origin, randomBytes(32))}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, keyFile);
  } catch (error) {
    // Another process made one in the same moment: that one counts.
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
  const signer = await loadSigner(keyFile);
  if (signer === undefined) throw new LedgerError('LEDGER_KEY', `${keyFile} vanished while it was made`);
  return signer;
}
