import { faultOf } from '../entries/check.ts';
import { CompactRange } from '../merkle/compact-range.ts';
import { type Tile, TreeEdges } from '../merkle/edges.ts';
import { leafHash } from '../merkle/hash.ts';
import { listSegments, type Segment } from '../segments/layout.ts';
import { lineBlocks, linesOf } from '../segments/lines.ts';
import type { ExpectedRoot } from './check-checkpoints.ts';
import { checkLine } from './check-line.ts';
import type { LeafTiles } from './leaf-tiles.ts';
import type { Findings, Place } from './report.ts';

/** What reading every stored byte once gave. */
export interface Scan {
  readonly size: number;
  readonly root: Buffer;
  /** The claimed roots that do not hold (and those of sizes that were never reached). */
  readonly failed: ReadonlySet<ExpectedRoot>;
  /** Blobs that entries name, and the first entry that does. */
  readonly blobs: ReadonlyMap<string, Place>;
  /** Entries whose hash is not the one in their tile. */
  readonly mismatches: readonly { index: number; place: Place }[];
  /** The unfinished tiles at the end. */
  readonly partials: readonly Tile[];
}

/**
 * Reads every line of every segment as stored: hashes it, checks its form and position, and holds the growing
 * tree against each claimed root.
 * @param expected sorted by size
 * @param onTile is given each full tile as the lines make it
 */
export async function scanSegments(
  dir: string,
  expected: readonly ExpectedRoot[],
  leaves: LeafTiles,
  onTile: (tile: Tile) => Promise<void>,
  findings: Findings,
): Promise<Scan> {
  const scanner = new Scanner(expected, leaves, findings);
  const { segments, strangers } = await listSegments(dir);
  for (const name of strangers) findings.warning('stranger', `segments/${name} is not a segment`);
  for (const [at, segment] of segments.entries()) {
    if (segment.first !== scanner.next) {
      const message = `segments/${segment.name} should start with entry ${scanner.next}: a segment is missing or short`;
      findings.error('segment-gap', message, { segment: segment.name, entry: scanner.next });
      scanner.next = segment.first;
    }
    await scanner.segment(segment, at === segments.length - 1, onTile);
  }
  return scanner.finish();
}

class Scanner {
  readonly #expected: readonly ExpectedRoot[];
  readonly #leaves: LeafTiles;
  readonly #findings: Findings;
  readonly #tree = new CompactRange();
  readonly #full: Tile[] = [];
  readonly #edges = new TreeEdges((tile) => this.#full.push(tile));
  readonly #failed = new Set<ExpectedRoot>();
  readonly #blobs = new Map<string, Place>();
  readonly #mismatches: { index: number; place: Place }[] = [];
  #nextRoot = 0;
  #lastBad = false;
  #lastShift = 0;
  /** Index of the next entry. */
  next = 0;

  constructor(expected: readonly ExpectedRoot[], leaves: LeafTiles, findings: Findings) {
    this.#expected = expected;
    this.#leaves = leaves;
    this.#findings = findings;
    this.#checkRoots();
  }

  async segment(segment: Segment, isLast: boolean, onTile: (tile: Tile) => Promise<void>): Promise<void> {
    let line = 0;
    for await (const block of lineBlocks(segment.path)) {
      if (!block.whole) {
        this.#torn(segment, line + 1, block.offset, isLast);
        break;
      }
      let byte = block.offset;
      for (const bytes of linesOf(block.bytes)) {
        line += 1;
        await this.#line(bytes, { segment: segment.name, line, byte });
        byte += bytes.length + 1;
      }
      for (const tile of this.#full.splice(0)) await onTile(tile);
    }
  }

  async #line(bytes: Buffer, at: Place): Promise<void> {
    const place = { entry: this.next, ...at };
    const claimed = checkLine(bytes, place, this.#findings, faultOf, (blob) => {
      if (!this.#blobs.has(blob)) this.#blobs.set(blob, place);
    });
    this.#position(claimed, place);
    const leaf = leafHash(bytes);
    await this.#leaves.load(this.next);
    const recorded = this.#leaves.hashOf(this.next);
    if (recorded !== undefined && !recorded.equals(leaf)) {
      this.#mismatches.push({ index: this.next, place: { ...place, entry: this.next } });
    }
    this.#tree.push(leaf);
    this.#edges.push(leaf);
    this.next += 1;
    this.#checkRoots();
  }

  /** Holds the index a line claims against its position, and follows the lines when they all moved. */
  #position(claimed: number | undefined, place: Place): void {
    const shift = claimed === undefined ? 0 : claimed - this.next;
    if (claimed !== undefined && shift !== 0) {
      const moved = this.#lastBad || shift === this.#lastShift;
      if (moved) this.next = claimed;
      else this.#findings.error('wrong-index', `the line says that it is entry ${claimed}`, place);
    }
    this.#lastShift = shift;
    this.#lastBad = claimed === undefined;
  }

  #checkRoots(): void {
    for (;;) {
      const expected = this.#expected[this.#nextRoot];
      if (expected === undefined || expected.size > this.#tree.size) return;
      if (!this.#tree.root().equals(expected.root)) this.#failed.add(expected);
      this.#nextRoot += 1;
    }
  }

  #torn(segment: Segment, line: number, byte: number, isLast: boolean): void {
    const place = { entry: this.next, segment: segment.name, line, byte };
    const sealed = this.#expected.some(({ size }) => size > this.next);
    if (isLast && !sealed) {
      const message =
        'the last line is not whole: a crash, or an append under way; opening for writing sets it aside';
      this.#findings.warning('torn-line', message, place);
    } else {
      this.#findings.error('torn-line', 'the segment does not end in a whole line', place);
    }
  }

  finish(): Scan {
    for (const expected of this.#expected.slice(this.#nextRoot)) this.#failed.add(expected);
    return {
      size: this.#tree.size,
      root: this.#tree.root(),
      failed: this.#failed,
      blobs: this.#blobs,
      mismatches: this.#mismatches,
      partials: this.#edges.partials(),
    };
  }
}
