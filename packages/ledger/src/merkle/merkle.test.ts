import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompactRange } from './compact-range.ts';
import { partialWidths, type Tile, TreeEdges } from './edges.ts';
import { EMPTY_ROOT, leafHash, nodeHash } from './hash.ts';
import {
  consistencyProof,
  type HashReader,
  inclusionProof,
  verifyConsistency,
  verifyInclusion,
} from './proofs.ts';
import { tilePath } from './tile-files.ts';
import { tileHashReader } from './tile-reader.ts';

const MOST = 600;
const leaves = Array.from({ length: MOST }, (_, i) => leafHash(Buffer.from(`entry ${i}`)));

/** RFC 6962 §2.1, word for word. */
function naiveRoot(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (only === undefined) return EMPTY_ROOT;
  if (hashes.length === 1) return only;
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return nodeHash(naiveRoot(hashes.slice(0, k)), naiveRoot(hashes.slice(k)));
}

function naivePath(index: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length === 1) return [];
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  const [left, right] = [hashes.slice(0, k), hashes.slice(k)];
  return index < k
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - k, right), naiveRoot(left)];
}

const roots = Array.from({ length: MOST + 1 }, (_, size) => naiveRoot(leaves.slice(0, size)));
const rootOf = (size: number): Buffer => roots[size] ?? EMPTY_ROOT;
const leafOf = (index: number): Buffer => leaves[index] ?? EMPTY_ROOT;

function tilesOf(size: number): { edges: TreeEdges; read: HashReader } {
  const tiles = new Map<string, Tile>();
  const edges = new TreeEdges((tile) => tiles.set(`${tile.level}/${tile.index}`, tile));
  for (const leaf of leaves.slice(0, size)) edges.push(leaf);
  for (const tile of edges.partials()) tiles.set(`${tile.level}/${tile.index}`, tile);
  return { edges, read: tileHashReader(async (level, index) => tiles.get(`${level}/${index}`)?.bytes) };
}

describe('the Merkle tree', () => {
  it('hashes as RFC 6962 does', () => {
    expect(EMPTY_ROOT.toString('base64')).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
    expect(leafHash(Buffer.from('hello world')).toString('base64')).toBe(
      'TszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=',
    );
    expect(leafHash(Buffer.alloc(0)).toString('hex')).toMatch(/^6e340b9c.*afa01d$/);
  });

  it('grows to the naive root at each size, in edges and in the compact range', () => {
    const edges = new TreeEdges();
    const range = new CompactRange();
    for (let size = 0; size <= MOST; size += 1) {
      expect(edges.root(EMPTY_ROOT).equals(rootOf(size))).toBe(true);
      expect(range.root().equals(rootOf(size))).toBe(true);
      edges.push(leafOf(size));
      range.push(leafOf(size));
    }
  });

  it('goes on from its unfinished tiles as if it had never stopped', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MOST }), fc.integer({ min: 0, max: MOST }), (a, b) => {
        const [stop, size] = a < b ? [a, b] : [b, a];
        const edges = new TreeEdges();
        edges.restore(stop, tilesOf(stop).edges.partials());
        for (const leaf of leaves.slice(stop, size)) edges.push(leaf);
        expect(edges.root(EMPTY_ROOT).equals(rootOf(size))).toBe(true);
        expect(edges.partials()).toEqual(tilesOf(size).edges.partials());
      }),
    );
  });

  it('makes the tiles that the tlog-tiles specification counts for 70,000 entries', () => {
    const count = new Map<number, number>();
    const edges = new TreeEdges(({ level }) => count.set(level, (count.get(level) ?? 0) + 1));
    for (let i = 0; i < 70_000; i += 1) edges.push(EMPTY_ROOT);
    expect([count.get(0), count.get(1), count.get(2)]).toEqual([273, 1, undefined]);
    expect(edges.partials().map(({ level, index, width }) => [level, index, width])).toEqual([
      [0, 273, 112],
      [1, 1, 17],
      [2, 0, 1],
    ]);
    expect(partialWidths(70_000)).toEqual([112, 17, 1]);
  });

  it('names tiles as the specification does', () => {
    expect(tilePath(0, 1_234_067)).toBe('tile/0/x001/x234/067');
    expect(tilePath(0, 0)).toBe('tile/0/000');
    expect(tilePath(3, 1000, 112)).toBe('tile/3/x001/000.p/112');
  });
});

describe('proofs', () => {
  it('are the naive ones, for entries of every size', async () => {
    const size = fc.integer({ min: 1, max: MOST });
    const pair = size.chain((n) => fc.tuple(fc.integer({ min: 0, max: n - 1 }), fc.constant(n)));
    await fc.assert(
      fc.asyncProperty(pair, async ([index, n]) => {
        const proof = await inclusionProof(index, n, tilesOf(n).read);
        expect(proof).toEqual(naivePath(index, leaves.slice(0, n)));
        expect(verifyInclusion(leafOf(index), index, n, proof, rootOf(n))).toBe(true);
        expect(verifyInclusion(leafOf(index), index, n, proof, rootOf(n - 1))).toBe(false);
        expect(verifyInclusion(leafOf(index + 1), index, n, proof, rootOf(n))).toBe(false);
        expect(verifyInclusion(leafOf(index), index, n, [...proof, EMPTY_ROOT], rootOf(n))).toBe(false);
        if (proof.length > 0) {
          expect(verifyInclusion(leafOf(index), index, n, proof.slice(1), rootOf(n))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('show that a log only grew, and fail for any other pair of roots', async () => {
    const size = fc.integer({ min: 0, max: MOST });
    await fc.assert(
      fc.asyncProperty(size, size, async (a, b) => {
        const [older, newer] = a < b ? [a, b] : [b, a];
        const proof = await consistencyProof(older, newer, tilesOf(newer).read);
        const holds = (from: Buffer, to: Buffer, given = proof) =>
          verifyConsistency(older, from, newer, to, given);
        expect(holds(rootOf(older), rootOf(newer))).toBe(true);
        if (older === 0) return;
        expect(holds(leafHash(Buffer.from('other')), rootOf(newer))).toBe(false);
        expect(holds(rootOf(older), leafHash(Buffer.from('other')))).toBe(false);
        expect(holds(rootOf(older), rootOf(newer), [...proof, EMPTY_ROOT])).toBe(false);
        for (const at of proof.keys()) {
          expect(holds(rootOf(older), rootOf(newer), proof.with(at, EMPTY_ROOT))).toBe(false);
          expect(holds(rootOf(older), rootOf(newer), proof.toSpliced(at, 1))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('of entries and sizes that are not there are refused', async () => {
    const { read } = tilesOf(10);
    for (const [index, size] of [
      [10, 10],
      [-1, 10],
      [0.5, 10],
      [0, 0],
    ] as const) {
      await expect(inclusionProof(index, size, read)).rejects.toMatchObject({ code: 'LEDGER_PROOF' });
    }
    await expect(consistencyProof(11, 10, read)).rejects.toMatchObject({ code: 'LEDGER_PROOF' });
    await expect(inclusionProof(3, 600, read)).rejects.toMatchObject({ code: 'LEDGER_PROOF' });
    expect(verifyInclusion(leafOf(0), 1, 1, [], rootOf(1))).toBe(false);
    expect(verifyConsistency(2, rootOf(2), 1, rootOf(1), [])).toBe(false);
  });
});
