import { HASH_SIZE, nodeHash } from './hash.ts';

/** Hashes in a full tile: eight levels of the tree. */
export const TILE_WIDTH = 256;

/** One tile: `width` hashes at tile level `level`, the `index`-th from the left. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
  readonly bytes: Buffer;
}

/**
 * The right edge of a growing Merkle tree, kept as the unfinished tile of each tile level.
 * That is all a writer needs: memory is a few kilobytes, whatever the size of the tree.
 */
export class TreeEdges {
  #size = 0;
  readonly #levels: Buffer[][] = [];
  readonly #onTile: (tile: Tile) => void;

  /** @param onTile is given each tile as it becomes full. */
  constructor(onTile: (tile: Tile) => void = () => undefined) {
    this.#onTile = onTile;
  }

  /** Entries in the tree. */
  get size(): number {
    return this.#size;
  }

  /** Adds the leaf hash of the next entry. */
  push(leaf: Buffer): void {
    this.#size += 1;
    this.#pushAt(0, leaf);
  }

  #pushAt(level: number, hash: Buffer): void {
    const row = this.#row(level);
    row.push(hash);
    if (row.length < TILE_WIDTH) return;
    this.#levels[level] = [];
    const index = Math.floor(this.#size / TILE_WIDTH ** (level + 1)) - 1;
    this.#onTile({ level, index, width: TILE_WIDTH, bytes: Buffer.concat(row) });
    this.#pushAt(level + 1, perfectRoot(row));
  }

  #row(level: number): Buffer[] {
    let row = this.#levels[level];
    if (row === undefined) {
      row = [];
      this.#levels[level] = row;
    }
    return row;
  }

  /** The root of the tree as it is now. */
  root(emptyRoot: Buffer): Buffer {
    let root: Buffer | undefined;
    for (const row of this.#levels) {
      for (const subtree of perfectSubtrees(row ?? []).reverse()) {
        root = root === undefined ? subtree : nodeHash(subtree, root);
      }
    }
    return root ?? emptyRoot;
  }

  /** The unfinished tiles of the tree as it is now (never an empty one). */
  partials(): Tile[] {
    return this.#levels.flatMap((row, level) => {
      if (row.length === 0) return [];
      const index = Math.floor(Math.floor(this.#size / TILE_WIDTH ** level) / TILE_WIDTH);
      return [{ level, index, width: row.length, bytes: Buffer.concat(row) }];
    });
  }

  /** Starts from a tree of `size` entries whose unfinished tiles are given (see `partialsOf`). */
  restore(size: number, partials: readonly Tile[]): void {
    this.#size = size;
    this.#levels.length = 0;
    for (const tile of partials) {
      while (this.#levels.length <= tile.level) this.#levels.push([]);
      this.#levels[tile.level] = splitHashes(tile.bytes);
    }
  }
}

/** The width of the unfinished tile at each tile level of a tree of `size` entries (0 where there is none). */
export function partialWidths(size: number): number[] {
  const widths: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) widths.push(rest % TILE_WIDTH);
  return widths;
}

/** Cuts a tile's bytes into hashes. */
export function splitHashes(bytes: Buffer): Buffer[] {
  const hashes: Buffer[] = [];
  for (let at = 0; at + HASH_SIZE <= bytes.length; at += HASH_SIZE)
    hashes.push(bytes.subarray(at, at + HASH_SIZE));
  return hashes;
}

/** The root over hashes whose number is a power of two. */
export function perfectRoot(hashes: readonly Buffer[]): Buffer {
  let row = hashes;
  while (row.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at + 1 < row.length; at += 2) {
      const [left, right] = [row[at], row[at + 1]];
      if (left !== undefined && right !== undefined) above.push(nodeHash(left, right));
    }
    row = above;
  }
  const [root] = row;
  if (root === undefined) throw new RangeError('no hashes to take a root of');
  return root;
}

/** The roots of the largest perfect subtrees over a row of hashes, from left to right. */
function perfectSubtrees(row: readonly Buffer[]): Buffer[] {
  const roots: Buffer[] = [];
  let at = 0;
  while (at < row.length) {
    const width = 2 ** Math.floor(Math.log2(row.length - at));
    roots.push(perfectRoot(row.slice(at, at + width)));
    at += width;
  }
  return roots;
}
