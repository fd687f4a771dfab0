import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Batch, GroupCommit } from './append.ts';
import { getBlob, putBlob } from './blobs.ts';
import type { CheckpointLine } from './checkpoints.ts';
import { diskError } from './disk-error.ts';
import type { Entry, EntryBody } from './entries/types.ts';
import { LedgerError } from './errors.ts';
import { sweepTemporaries } from './files.ts';
import { acquireLock, type Lock, type LockHolder } from './lock/lock.ts';
import { leafHash } from './merkle/hash.ts';
import { consistencyProof, inclusionProof } from './merkle/proofs.ts';
import { loadOrCreateSigner } from './note/key-file.ts';
import type { NoteSigner } from './note/keys.ts';
import { claimFolder, latestCheckpoint } from './opening.ts';
import { type Recovery, resume } from './recovery.ts';
import { Sealer } from './sealing.ts';
import { DEFAULT_SEGMENT_ENTRIES } from './segments/layout.ts';
import { type ReadOptions, readEntries } from './segments/read.ts';
import { SegmentWriter } from './segments/writer.ts';

export interface OpenOptions {
  readonly dir: string;
  /** The log's name, for example `her.local/tiny-3f9a`. Written once. */
  readonly origin: string;
  /** Where the signing key lies, outside the ledger; made on first use. */
  readonly keyFile: string;
  /** Entries in a segment (default 65,536). */
  readonly segmentEntries?: number;
  /** Seconds between automatic checkpoints while entries arrive (default 5; 0 for none). */
  readonly checkpointSeconds?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Told when an automatic checkpoint fails; it is tried again. Default: a process warning. */
  readonly onProblem?: (error: unknown) => void;
}

/** An open ledger: the one writer. */
export interface Ledger {
  readonly dir: string;
  readonly origin: string;
  readonly vkey: string;
  /** What opening found and did. */
  readonly recovery: Recovery & { readonly brokenLock: LockHolder | undefined };
  /** Entries on disk. */
  readonly size: number;
  /** Records entries, in order, together; resolves once they are on disk. All of them, or none. */
  append(bodies: readonly EntryBody[]): Promise<Entry[]>;
  /** The entries that were on disk when this was called. */
  entries(options?: ReadOptions): AsyncGenerator<Entry, void>;
  putBlob(bytes: string | Uint8Array): Promise<string>;
  getBlob(sha256: string): Promise<Buffer>;
  /** The Merkle root over the entries on disk. */
  root(): Buffer;
  /** Signs the head, when it is not signed yet, and returns the note. */
  checkpoint(): Promise<CheckpointLine>;
  /** Hashes that lead from an entry to the root at `size` (default: now). */
  inclusionProof(index: number, size?: number): Promise<Buffer[]>;
  /** Hashes that show that the log at `size` (default: now) only added to the log at `older`. */
  consistencyProof(older: number, size?: number): Promise<Buffer[]>;
  /** Waits for appends, signs the head, releases the lock. */
  close(): Promise<void>;
}

/**
 * Opens a ledger for writing, and makes it when there is none. Recovers from a crash of the last writer.
 * @throws {LedgerError} `LEDGER_LOCKED`, `LEDGER_KEY`, `LEDGER_ORIGIN_MISMATCH`, `LEDGER_CORRUPT`,
 *   `LEDGER_ENTRIES_LOST`
 */
export async function openLedger(options: OpenOptions): Promise<Ledger> {
  const { dir, origin, keyFile } = options;
  await mkdir(dir, { recursive: true });
  const lock = await acquireLock(dir);
  try {
    if (lock.broken !== undefined) await sweepTemporaries(dir);
    const signer = await loadOrCreateSigner(keyFile, origin);
    await claimFolder(dir, origin, signer.vkey);
    return await OpenedLedger.open(options, lock, signer);
  } catch (error) {
    await lock.release();
    throw diskError(error, 'opening');
  }
}

class OpenedLedger implements Ledger {
  readonly dir: string;
  readonly origin: string;
  readonly vkey: string;
  readonly recovery: Ledger['recovery'];
  readonly #lock: Lock;
  readonly #sealer: Sealer;
  readonly #writer: SegmentWriter;
  readonly #commits: GroupCommit;
  readonly #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  static async open(options: OpenOptions, lock: Lock, signer: NoteSigner): Promise<OpenedLedger> {
    const { latest, torn } = await latestCheckpoint(options.dir, options.origin, signer);
    const sealer = new Sealer(options.dir, signer, latest?.line);
    const { edges, position, recovery } = await resume(options.dir, latest?.body, (tile) =>
      sealer.addTile(tile),
    );
    sealer.edges = edges;
    const writer = new SegmentWriter(
      options.dir,
      options.segmentEntries ?? DEFAULT_SEGMENT_ENTRIES,
      position,
    );
    const found = { ...recovery, torn: [...torn, ...recovery.torn], brokenLock: lock.broken };
    return new OpenedLedger(options, lock, signer, sealer, writer, found);
  }

  private constructor(
    options: OpenOptions,
    lock: Lock,
    signer: NoteSigner,
    sealer: Sealer,
    writer: SegmentWriter,
    recovery: Ledger['recovery'],
  ) {
    this.dir = options.dir;
    this.origin = options.origin;
    this.vkey = signer.vkey;
    this.recovery = recovery;
    this.#lock = lock;
    this.#sealer = sealer;
    this.#writer = writer;
    this.#commits = new GroupCommit(
      () => this.size,
      options.clock ?? Date.now,
      (batch) => this.#commit(batch),
    );
    this.#timer = this.#sealEvery(options.checkpointSeconds ?? 5, options.onProblem ?? warnOfProblem);
  }

  get size(): number {
    return this.#sealer.edges.size;
  }

  async append(bodies: readonly EntryBody[]): Promise<Entry[]> {
    this.#refuseWhenClosed();
    // Loaded on the first append: who only reads need not wait for the schemas.
    const { checkBody } = await import('./entries/check.ts');
    const checked = bodies.map(checkBody);
    this.#refuseWhenClosed();
    return checked.length === 0 ? [] : this.#commits.add(checked);
  }

  entries(options: ReadOptions = {}): AsyncGenerator<Entry, void> {
    return readEntries(this.dir, { ...options, to: Math.min(options.to ?? this.size, this.size) });
  }

  putBlob(bytes: string | Uint8Array): Promise<string> {
    return putBlob(this.dir, bytes);
  }

  getBlob(sha256: string): Promise<Buffer> {
    return getBlob(this.dir, sha256);
  }

  root(): Buffer {
    return this.#sealer.root();
  }

  async checkpoint(): Promise<CheckpointLine> {
    this.#refuseWhenClosed();
    return this.#seal();
  }

  inclusionProof(index: number, size = this.size): Promise<Buffer[]> {
    return inclusionProof(index, size, this.#sealer.hashReader());
  }

  consistencyProof(older: number, size = this.size): Promise<Buffer[]> {
    return consistencyProof(older, size, this.#sealer.hashReader());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    try {
      await this.#commits.drained();
      if (this.size > 0) await this.#seal();
    } finally {
      await this.#writer.close();
      await this.#lock.release();
    }
  }

  async #commit(batch: Batch): Promise<void> {
    await this.#writer.append(batch.lines);
    for (const line of batch.lines) this.#sealer.edges.push(leafHash(line.subarray(0, -1)));
  }

  async #seal(): Promise<CheckpointLine> {
    if (!(await this.#lock.isHeld())) {
      throw new LedgerError('LEDGER_LOCK_LOST', `${join(this.dir, 'lock')} is no longer ours`, {
        hint: 'it was removed by hand: make sure that one process writes, and open the ledger again',
      });
    }
    try {
      return await this.#sealer.seal();
    } catch (error) {
      throw diskError(error, 'checkpoint');
    }
  }

  #sealEvery(seconds: number, onProblem: (error: unknown) => void): NodeJS.Timeout | undefined {
    if (seconds <= 0) return undefined;
    const seal = () => {
      if (this.#sealer.isSealed()) return;
      this.#seal().catch(onProblem);
    };
    return setInterval(seal, seconds * 1000).unref();
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined)
      throw new LedgerError('LEDGER_CLOSED', `the ledger ${this.dir} is closed`);
  }
}

function warnOfProblem(error: unknown): void {
  process.emitWarning(`a ledger checkpoint failed and is tried again: ${String(error)}`, {
    code: 'HER_LEDGER_CHECKPOINT',
  });
}
