import { CompactRange } from '../merkle/compact-range.ts';
import { TILE_WIDTH } from '../merkle/edges.ts';
import { HASH_SIZE } from '../merkle/hash.ts';
import { readTile, widestTile } from '../merkle/tile-files.ts';

/** The entry hashes that the tiles of level 0 recorded: they are no proof, but they locate. */
export class LeafTiles {
  readonly #dir: string;
  #index = -1;
  #bytes: Buffer | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Makes the tile of an entry the current one. */
  async load(entry: number): Promise<void> {
    const index = Math.floor(entry / TILE_WIDTH);
    if (index === this.#index) return;
    this.#index = index;
    this.#bytes = await widestTile(this.#dir, 0, index);
  }

  /** The recorded hash of an entry of the current tile. */
  hashOf(entry: number): Buffer | undefined {
    const at = (entry % TILE_WIDTH) * HASH_SIZE;
    return this.#bytes !== undefined && at + HASH_SIZE <= this.#bytes.length
      ? this.#bytes.subarray(at, at + HASH_SIZE)
      : undefined;
  }

  /** The root over the recorded hashes of the first `size` entries, if all are there. */
  async rootAt(size: number): Promise<Buffer | undefined> {
    const tree = new CompactRange();
    for (let index = 0; tree.size < size; index += 1) {
      const width = Math.min(TILE_WIDTH, size - tree.size);
      const bytes = await readTile(this.#dir, 0, index, width);
      if (bytes === undefined) return undefined;
      for (let at = 0; at < width; at += 1) tree.push(bytes.subarray(at * HASH_SIZE, (at + 1) * HASH_SIZE));
    }
    return tree.root();
  }
}
