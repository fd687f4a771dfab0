import { EMPTY_ROOT, nodeHash } from './hash.ts';

/** A growing Merkle tree kept as the roots of its perfect subtrees: a root costs a few hashes at any size. */
export class CompactRange {
  #size = 0;
  /** Largest subtree first: one for each bit of the size. */
  readonly #subtrees: Buffer[] = [];

  get size(): number {
    return this.#size;
  }

  /** Adds the leaf hash of the next entry. */
  push(leaf: Buffer): void {
    let hash = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      const left = this.#subtrees.pop();
      if (left !== undefined) hash = nodeHash(left, hash);
    }
    this.#subtrees.push(hash);
    this.#size += 1;
  }

  root(): Buffer {
    let root: Buffer | undefined;
    for (const subtree of this.#subtrees.toReversed()) {
      root = root === undefined ? subtree : nodeHash(subtree, root);
    }
    return root ?? EMPTY_ROOT;
  }
}
