import { createHash } from 'node:crypto';
import type { FileHash } from '@her/ledger';
import { HerError } from '../errors.ts';
import { partBytes, partCount, partSizeOf } from './part-size.ts';
import type { Store } from './store.ts';
import type { Part } from './store-uploads.ts';
import { base64 } from './store-urls.ts';

type Piece = { part: number; size: number; sha256: string };

/** One file on its way into a store, whole or in parts. Part 0 is a file that is sent whole. */
export class FileUpload {
  readonly file: FileHash;
  whole = false;
  readonly #store: Store;
  readonly #key: string;
  /** Unfinished uploads of this key, the newest first. */
  readonly #open: readonly string[];
  readonly #partSize: number | null;
  readonly #pieces = new Map<number, string>();
  readonly #settled = new Set<number>();
  #isHashed = false;
  #finishing = false;
  #begun: Promise<{ id: string; there: Map<number, Part> }> | null = null;

  constructor(store: Store, key: string, file: FileHash, open: readonly string[]) {
    this.#store = store;
    this.#key = key;
    this.#open = open;
    this.file = file;
    this.#partSize = partSizeOf(file.size);
  }

  /** Whether an object of the right size is the file: by the store's checksum, and by the hash it was begun with. */
  async lookForWhole(): Promise<void> {
    const facts = await this.#store.facts(this.#key);
    if (facts === null || facts.size !== this.file.size) return;
    this.whole =
      this.#partSize === null
        ? facts.checksum === base64(this.file.sha256)
        : // Only a file whose every byte was hashed is ever completed under its hash.
          facts.sha256 === this.file.sha256 && facts.checksum !== null;
  }

  /** What to do with a piece: skip it where the store has it, else where to send it. */
  async answerTo({ part, size, sha256 }: Piece): Promise<object> {
    if (part > partCount(this.file.size, this.#partSize) || size !== this.#bytesOf(part))
      throw new HerError('AGENT_FAILED', `the agent cut ${this.file.path} otherwise than it was asked to`);
    this.#pieces.set(part, sha256);
    if (part > 0) {
      const { there } = await this.#upload();
      const found = there.get(part);
      if (found?.size === size && found.checksum === base64(sha256)) {
        await this.sent(part);
        return { do: 'skip' };
      }
    }
    return this.again(part);
  }

  /** A fresh URL for a piece that was told before. */
  async again(part: number): Promise<object> {
    const sha256 = part === 0 ? this.file.sha256 : this.#pieces.get(part);
    if (sha256 === undefined)
      throw new HerError('AGENT_FAILED', 'the agent failed to send what it never named');
    const signed =
      part === 0
        ? await this.#store.signPut(this.#key, sha256)
        : await this.#store.signPart(this.#key, (await this.#upload()).id, part, sha256);
    return { do: 'send', ...signed };
  }

  sent(part: number): Promise<void> {
    this.#settled.add(part);
    return this.#finishWhenReady();
  }

  /** The node read it to its end, and it is the file that was saved. */
  hashed(): Promise<void> {
    this.#isHashed = true;
    return this.#finishWhenReady();
  }

  async #finishWhenReady(): Promise<void> {
    const ready = this.#isHashed && this.#settled.size === partCount(this.file.size, this.#partSize);
    if (!ready || this.#finishing) return;
    this.#finishing = true;
    await this.#finish();
  }

  /** Makes the object of its parts, and believes nobody but the store about what is in it. */
  async #finish(): Promise<void> {
    if (this.#partSize !== null) await this.#complete();
    const facts = await this.#store.facts(this.#key);
    if (facts?.checksum === null) throw this.#unverified();
    const checksum = this.#partSize === null ? base64(this.file.sha256) : this.#compositeChecksum();
    if (facts?.size !== this.file.size || facts.checksum !== checksum)
      throw new HerError('STORE_UNREACHABLE', `the store does not hold ${this.file.path} as it was sent`);
    this.whole = true;
    for (const id of this.#open) await this.#store.abort(this.#key, id);
  }

  #upload(): Promise<{ id: string; there: Map<number, Part> }> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** Goes on with the newest unfinished upload. */
  async #begin(): Promise<{ id: string; there: Map<number, Part> }> {
    const [id] = this.#open;
    if (id === undefined)
      return { id: await this.#store.begin(this.#key, this.file.sha256), there: new Map() };
    const parts = await this.#store.parts(this.#key, id);
    return { id, there: new Map(parts.map((part) => [part.number, part])) };
  }

  async #complete(): Promise<void> {
    const { id } = await this.#upload();
    const parts = new Map((await this.#store.parts(this.#key, id)).map((part) => [part.number, part]));
    const count = partCount(this.file.size, this.#partSize);
    const whole = Array.from({ length: count }, (_, n) => {
      const number = n + 1;
      const part = parts.get(number);
      if (part?.checksum === null) throw this.#unverified();
      if (part?.size !== this.#bytesOf(number) || part.checksum !== base64(this.#pieces.get(number) ?? ''))
        throw new HerError('STORE_UNREACHABLE', `the store lost part ${number} of ${this.file.path}`);
      return part;
    });
    await this.#store.complete(this.#key, id, whole);
  }

  #compositeChecksum(): string {
    const hash = createHash('sha256');
    const count = partCount(this.file.size, this.#partSize);
    for (let part = 1; part <= count; part += 1)
      hash.update(Buffer.from(this.#pieces.get(part) ?? '', 'hex'));
    return `${hash.digest('base64')}-${count}`;
  }

  #bytesOf(part: number): number {
    if (this.#partSize === null || part === 0)
      return part === 0 && this.#partSize === null ? this.file.size : -1;
    return partBytes(this.file.size, this.#partSize, part);
  }

  #unverified(): Error {
    return new HerError(
      'STORE_UNVERIFIED',
      `the store keeps no SHA-256 of ${this.file.path}: what it holds cannot be told`,
    );
  }
}
