import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { diskError } from '../disk-error.ts';
import { LedgerError } from '../errors.ts';
import { syncFolder } from '../files.ts';
import { keepTorn } from '../torn.ts';
import { type Segment, segmentAt, segmentsFolder } from './layout.ts';

/** Where the next line goes. */
export interface WritePosition {
  readonly first: number;
  readonly count: number;
  readonly offset: number;
}

/** Appends lines to the last segment, and begins a new one when it is full. One call at a time. */
export class SegmentWriter {
  readonly #dir: string;
  readonly #limit: number;
  #segment: Segment;
  #position: WritePosition;
  #handle: FileHandle | undefined;
  #created: string[] = [];
  #broken: unknown;

  /** @param limit entries in a segment */
  constructor(dir: string, limit: number, position: WritePosition) {
    this.#dir = dir;
    this.#limit = limit;
    this.#position = position;
    this.#segment = segmentAt(dir, position.first);
  }

  /**
   * Writes lines (each with its newline) and returns once they are on disk: all of them, or none.
   * @throws {LedgerError} `LEDGER_DISK_FULL`, `LEDGER_IO`, `LEDGER_LOCK_LOST`; the writer stays usable
   *   unless the failed bytes could not be taken back.
   */
  async append(lines: readonly Buffer[]): Promise<void> {
    if (this.#broken !== undefined) throw stuck(this.#broken);
    const mark = this.#position;
    this.#created = [];
    try {
      for (let at = 0; at < lines.length; ) {
        if (this.#position.count >= this.#limit) await this.#roll();
        const part = lines.slice(at, at + this.#limit - this.#position.count);
        await this.#write(part);
        at += part.length;
      }
    } catch (error) {
      if (error instanceof LedgerError) {
        this.#broken = error;
        throw error;
      }
      throw diskError(error, 'append', await this.#takeBack(mark));
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #write(lines: readonly Buffer[]): Promise<void> {
    const handle = await this.#open();
    const { first, count, offset } = this.#position;
    const { size } = await handle.stat();
    if (size !== offset) {
      throw new LedgerError('LEDGER_LOCK_LOST', `${this.#segment.path} has ${size} bytes, not ${offset}`, {
        hint: 'another process wrote to it: was the lock removed by hand?',
      });
    }
    const bytes = lines.length === 1 && lines[0] !== undefined ? lines[0] : Buffer.concat(lines);
    await handle.appendFile(bytes);
    await handle.datasync();
    this.#position = { first, count: count + lines.length, offset: offset + bytes.length };
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    await mkdir(segmentsFolder(this.#dir), { recursive: true });
    this.#handle = await open(this.#segment.path, 'a+', 0o644);
    await syncFolder(segmentsFolder(this.#dir));
    return this.#handle;
  }

  async #roll(): Promise<void> {
    await this.close();
    const { first, count } = this.#position;
    this.#segment = segmentAt(this.#dir, first + count);
    this.#position = { first: first + count, count: 0, offset: 0 };
    this.#created.push(this.#segment.path);
    await this.#open();
  }

  /** Undoes an append that failed: none of it was acknowledged. Returns what could not be kept, if anything. */
  async #takeBack(mark: WritePosition): Promise<unknown> {
    try {
      if (this.#created.length > 0) {
        await this.close();
        for (const path of this.#created) await rm(path, { force: true });
        this.#segment = segmentAt(this.#dir, mark.first);
      }
      this.#position = mark;
      const handle = await this.#open();
      const { size } = await handle.stat();
      if (size <= mark.offset) return undefined;
      const partial = Buffer.alloc(Math.min(size - mark.offset, 1 << 20));
      await handle.read(partial, 0, partial.length, mark.offset);
      await handle.truncate(mark.offset);
      await handle.datasync();
      return await this.#keep(mark.offset, partial);
    } catch (error) {
      this.#broken = error;
      return error;
    }
  }

  async #keep(offset: number, partial: Buffer): Promise<unknown> {
    try {
      await keepTorn(
        this.#dir,
        this.#segment.path,
        offset,
        partial,
        'an append failed half-way; its caller was told',
      );
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

function stuck(cause: unknown): LedgerError {
  return new LedgerError('LEDGER_IO', 'an earlier append failed and could not be taken back', {
    hint: 'close the ledger and open it again: what the failed append left is set aside then',
    cause,
  });
}
