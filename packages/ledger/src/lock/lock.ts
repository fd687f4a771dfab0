import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, LedgerError } from '../errors.ts';
import { listIfThere } from '../files.ts';
import { livenessOf, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** Who holds a ledger. `nonce` is new for each holding. */
export interface LockHolder extends ProcessIdentity {
  readonly nonce: string;
  readonly since: string;
}

/** A held lock. */
export interface Lock {
  readonly holder: LockHolder;
  /** Whose stale lock was broken to get this one. */
  readonly broken: LockHolder | undefined;
  /** Whether the lock file is still ours: a person may have removed it. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const ATTEMPTS = 20;

/**
 * Takes the one-writer lock of a ledger, without `flock`: a file that is complete before it is linked to its
 * name, which is atomic on NFS too.
 *
 * A stale lock is replaced by its only heir: whoever links `lock.after-<nonce of the stale lock>` first.
 * The heir may die too; then its own nonce is inherited in turn. So two breakers never both win.
 *
 * @throws {LedgerError} `LEDGER_LOCKED` when its holder lives, or may live
 */
export async function acquireLock(dir: string): Promise<Lock> {
  const holder: LockHolder = {
    ...ownIdentity(),
    nonce: randomBytes(8).toString('hex'),
    since: new Date().toISOString(),
  };
  const own = join(dir, `lock.new-${holder.nonce}`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await writeOwn(own, holder);
    const broken = await tryAcquire(dir, own);
    if (broken === 'again') continue;
    await rm(own, { force: true });
    await sweep(dir, holder.nonce);
    return heldLock(dir, holder, broken);
  }
  await rm(own, { force: true });
  throw new LedgerError('LEDGER_LOCKED', `the lock of ${dir} changes hands all the time`, {
    hint: 'try again',
  });
}

/** Returns the holder whose lock was broken, `undefined` when the lock was free, or `again`. */
async function tryAcquire(dir: string, own: string): Promise<LockHolder | undefined | 'again'> {
  const path = join(dir, 'lock');
  if (await linked(own, path)) return undefined;
  const first = await readHolder(path);
  if (first === undefined) return 'again';
  let last = first;
  for (;;) {
    const heir = await readHolder(join(dir, `lock.after-${last.nonce}`));
    if (heir === undefined) break;
    last = heir;
  }
  if (livenessOf(last) !== 'dead') {
    await rm(own, { force: true });
    throw lockedBy(dir, last);
  }
  const claim = join(dir, `lock.after-${last.nonce}`);
  if (!(await linked(own, claim))) return 'again';
  // An earlier heir may have finished, and swept its claim away, since we read the lock.
  if ((await readHolder(path))?.nonce !== first.nonce) {
    await rm(claim, { force: true });
    return 'again';
  }
  await rename(own, path);
  return last;
}

async function writeOwn(path: string, holder: LockHolder): Promise<void> {
  const handle = await open(path, 'w', 0o644);
  try {
    await handle.writeFile(`${JSON.stringify(holder)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Links a complete file to a name; false when the name is taken, or our file was swept away. */
async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'EEXIST' && errno !== 'ENOENT') throw error;
    // Over NFS a link may be made and its reply lost; the inode tells.
    const [ours, there] = await Promise.all([inodeOf(own), inodeOf(path)]);
    return ours !== undefined && ours === there;
  }
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  try {
    return (await stat(path, { bigint: true })).ino;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const value = JSON.parse(text) as LockHolder;
    if (typeof value.pid === 'number' && /^[0-9a-f]{16}$/.test(value.nonce)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new LedgerError('LEDGER_LOCKED', `${path} is not a lock that this version wrote`, {
    hint: `if nothing writes to this ledger, remove ${path}`,
  });
}

/** Removes what dead contenders left. A living one finds its file gone and starts over. */
async function sweep(dir: string, nonce: string): Promise<void> {
  for (const name of await listIfThere(dir)) {
    if (/^lock\.(new|after)-/.test(name) && name !== `lock.after-${nonce}`)
      await rm(join(dir, name), { force: true });
  }
}

function heldLock(dir: string, holder: LockHolder, broken: LockHolder | undefined): Lock {
  const path = join(dir, 'lock');
  const isHeld = async () => (await readHolder(path))?.nonce === holder.nonce;
  const release = async () => {
    if (await isHeld()) await rm(path, { force: true });
  };
  return { holder, broken, isHeld, release };
}

function lockedBy(dir: string, holder: LockHolder): LedgerError {
  const who = `process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  const certain = livenessOf(holder) === 'alive';
  return new LedgerError('LEDGER_LOCKED', `${dir} is being written by ${who}`, {
    hint: certain
      ? 'wait for it, or stop it; reading needs no lock'
      : `whether it still runs cannot be told from here: look on ${holder.host}, and if it does not, remove ${join(dir, 'lock')}`,
  });
}
