import { LedgerError } from '../errors.ts';
import { nodeHash } from './hash.ts';

/** Gives the root of the perfect subtree of 2^level leaves, the `index`-th from the left. */
export type HashReader = (level: number, index: number) => Promise<Buffer>;

/**
 * The hashes that lead from entry `index` to the root of the tree of `size` entries (RFC 6962 §2.1.1).
 * @throws {LedgerError} `LEDGER_PROOF`
 */
export async function inclusionProof(index: number, size: number, read: HashReader): Promise<Buffer[]> {
  if (!isCount(index) || !isCount(size) || index >= size)
    refuse(`there is no entry ${index} in a log of ${size}`);
  return pathTo(index, 0, size, read);
}

/**
 * The hashes that show that a tree of `size` entries starts with the tree of `older` (RFC 6962 §2.1.2).
 * @throws {LedgerError} `LEDGER_PROOF`
 */
export async function consistencyProof(older: number, size: number, read: HashReader): Promise<Buffer[]> {
  if (!isCount(older) || !isCount(size) || older > size)
    refuse(`a log of ${size} cannot contain one of ${older}`);
  if (older === 0 || older === size) return [];
  return subproof(older, 0, size, true, read);
}

/** Whether an inclusion proof leads from a leaf hash to a root. */
export function verifyInclusion(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
  root: Buffer,
): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const found = rootFromPath(leaf, index, size, proof);
  return found?.equals(root) ?? false;
}

/** Whether a consistency proof shows that the tree with `root` starts with the one with `olderRoot`. */
export function verifyConsistency(
  older: number,
  olderRoot: Buffer,
  size: number,
  root: Buffer,
  proof: readonly Buffer[],
): boolean {
  if (!isCount(older) || !isCount(size) || older > size) return false;
  if (older === size) return proof.length === 0 && olderRoot.equals(root);
  // The empty tree is the start of every tree, but its root is known.
  if (older === 0) return proof.length === 0;
  const found = rootsFromSubproof(older, size, proof, true, olderRoot);
  return found?.older.equals(olderRoot) === true && found.newer.equals(root);
}

async function pathTo(index: number, start: number, size: number, read: HashReader): Promise<Buffer[]> {
  if (size === 1) return [];
  const k = split(size);
  if (index < k)
    return [...(await pathTo(index, start, k, read)), await rangeHash(start + k, size - k, read)];
  return [...(await pathTo(index - k, start + k, size - k, read)), await rangeHash(start, k, read)];
}

async function subproof(
  older: number,
  start: number,
  size: number,
  known: boolean,
  read: HashReader,
): Promise<Buffer[]> {
  if (older === size) return known ? [] : [await rangeHash(start, size, read)];
  const k = split(size);
  if (older <= k) {
    return [...(await subproof(older, start, k, known, read)), await rangeHash(start + k, size - k, read)];
  }
  return [...(await subproof(older - k, start + k, size - k, false, read)), await rangeHash(start, k, read)];
}

/** The root over the leaves [start, start + size), where `start` is a multiple of a large enough power of two. */
export async function rangeHash(start: number, size: number, read: HashReader): Promise<Buffer> {
  if (size === 1 || 2 ** Math.floor(Math.log2(size)) === size) {
    return read(Math.log2(size), start / size);
  }
  const k = split(size);
  return nodeHash(await rangeHash(start, k, read), await rangeHash(start + k, size - k, read));
}

function rootFromPath(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
): Buffer | undefined {
  if (size === 1) return proof.length === 0 ? leaf : undefined;
  const last = proof.at(-1);
  if (last?.length !== 32) return undefined;
  const rest = proof.slice(0, -1);
  const k = split(size);
  if (index < k) {
    const left = rootFromPath(leaf, index, k, rest);
    return left === undefined ? undefined : nodeHash(left, last);
  }
  const right = rootFromPath(leaf, index - k, size - k, rest);
  return right === undefined ? undefined : nodeHash(last, right);
}

interface Roots {
  readonly older: Buffer;
  readonly newer: Buffer;
}

function rootsFromSubproof(
  older: number,
  size: number,
  proof: readonly Buffer[],
  known: boolean,
  olderRoot: Buffer,
): Roots | undefined {
  if (older === size) {
    if (known) return proof.length === 0 ? { older: olderRoot, newer: olderRoot } : undefined;
    const [only] = proof;
    return proof.length === 1 && only?.length === 32 ? { older: only, newer: only } : undefined;
  }
  const last = proof.at(-1);
  if (last?.length !== 32) return undefined;
  const rest = proof.slice(0, -1);
  const k = split(size);
  if (older <= k) {
    const left = rootsFromSubproof(older, k, rest, known, olderRoot);
    return left && { older: left.older, newer: nodeHash(left.newer, last) };
  }
  const right = rootsFromSubproof(older - k, size - k, rest, false, olderRoot);
  return right && { older: nodeHash(last, right.older), newer: nodeHash(last, right.newer) };
}

/** The largest power of two below `size` (which is at least 2). */
export function split(size: number): number {
  let k = 2 ** Math.floor(Math.log2(size));
  // Logarithms of large numbers may be off by one.
  while (k >= size) k /= 2;
  while (k * 2 < size) k *= 2;
  return k;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refuse(why: string): never {
  throw new LedgerError('LEDGER_PROOF', why);
}
