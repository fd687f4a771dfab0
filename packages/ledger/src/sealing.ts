import { type CheckpointLine, recordCheckpoint } from './checkpoints.ts';
import { type Tile, TreeEdges } from './merkle/edges.ts';
import { EMPTY_ROOT } from './merkle/hash.ts';
import type { HashReader } from './merkle/proofs.ts';
import { dropPartials, readTile, writeTile } from './merkle/tile-files.ts';
import { tileHashReader } from './merkle/tile-reader.ts';
import { formatCheckpoint } from './note/checkpoint.ts';
import type { NoteSigner } from './note/keys.ts';
import { formatNote } from './note/signed-note.ts';

/** Tiles written side by side: the file system joins their syncs. */
const TILES_AT_ONCE = 32;

/** Keeps the Merkle tree of an open ledger, writes its tiles, signs its checkpoints. */
export class Sealer {
  readonly #dir: string;
  readonly #signer: NoteSigner;
  #pending: Tile[] = [];
  #latest: CheckpointLine | undefined;
  #sealing: Promise<unknown> = Promise.resolve();
  edges = new TreeEdges();

  constructor(dir: string, signer: NoteSigner, latest: CheckpointLine | undefined) {
    this.#dir = dir;
    this.#signer = signer;
    this.#latest = latest;
  }

  /** A tile that became full, to be written before the next checkpoint. */
  addTile(tile: Tile): void {
    this.#pending.push(tile);
  }

  root(): Buffer {
    return this.edges.root(EMPTY_ROOT);
  }

  isSealed(): boolean {
    return this.#latest === undefined ? this.edges.size === 0 : this.#latest.size === this.edges.size;
  }

  /** Signs the head and records it; tiles first, so that a checkpoint's tiles are always there. */
  seal(): Promise<CheckpointLine> {
    const sealed = this.#sealing.then(() => this.#seal());
    this.#sealing = sealed.catch(() => undefined);
    return sealed;
  }

  async #seal(): Promise<CheckpointLine> {
    const { size } = this.edges;
    if (this.#latest?.size === size) return this.#latest;
    const root = this.root();
    const partials = this.edges.partials();
    // A copy: appends go on while these are written.
    const full = [...this.#pending];
    const writes = [...full, ...partials];
    for (let at = 0; at < writes.length; at += TILES_AT_ONCE) {
      await Promise.all(writes.slice(at, at + TILES_AT_ONCE).map((tile) => writeTile(this.#dir, tile)));
    }
    const text = formatCheckpoint(this.#signer.name, size, root);
    const note = formatNote({ text, signatures: [this.#signer.sign(text)] });
    const line = { size, root: root.toString('base64'), note };
    await recordCheckpoint(this.#dir, line);
    this.#latest = line;
    this.#pending = this.#pending.slice(full.length);
    for (const { level, index } of full) await dropPartials(this.#dir, level, index, 0);
    for (const { level, index, width } of partials) await dropPartials(this.#dir, level, index, width);
    return line;
  }

  /** Reads hashes of the tree as it is now: from memory where they are not on disk yet. */
  hashReader(): HashReader {
    const recent = new Map<string, Buffer>();
    for (const tile of [...this.#pending, ...this.edges.partials()]) {
      recent.set(`${tile.level}/${tile.index}`, tile.bytes);
    }
    return tileHashReader(async (level, index, width) => {
      const bytes = recent.get(`${level}/${index}`);
      return bytes?.subarray(0, width * 32) ?? (await readTile(this.#dir, level, index, width));
    });
  }
}
