import { LedgerError } from './errors.ts';
import { type Tile, TreeEdges } from './merkle/edges.ts';
import { EMPTY_ROOT, leafHash } from './merkle/hash.ts';
import { readPartials } from './merkle/tile-files.ts';
import type { CheckpointBody } from './note/checkpoint.ts';
import { listSegments, type Segment } from './segments/layout.ts';
import { lineBlocks, linesOf, skipLines } from './segments/lines.ts';
import { parseLine } from './segments/read.ts';
import type { WritePosition } from './segments/writer.ts';
import { setAside, type TornReport } from './torn.ts';

/** What opening found and did. */
export interface Recovery {
  /** Torn ends that were set aside. */
  readonly torn: TornReport[];
  /** Entries after the last checkpoint, hashed anew. */
  readonly rehashed: number;
  /** Whether the tiles did not fit the checkpoint and were made again from the segments. */
  readonly tilesRebuilt: boolean;
}

/** The state a writer goes on from. */
export interface Resumption {
  readonly edges: TreeEdges;
  readonly position: WritePosition;
  readonly recovery: Recovery;
}

/**
 * Finds the end of a log after a crash. Everything under the last checkpoint is taken as it is (its tiles are
 * held against the signed root); the lines after it are parsed and hashed. Call with the lock held.
 *
 * @param onTile is given each full tile that is not on disk yet
 * @throws {LedgerError} `LEDGER_ENTRIES_LOST`, `LEDGER_CORRUPT`
 */
export async function resume(
  dir: string,
  checkpoint: CheckpointBody | undefined,
  onTile: (tile: Tile) => void,
): Promise<Resumption> {
  const edges = new TreeEdges(onTile);
  const restored = checkpoint === undefined || (await restoreFromTiles(dir, edges, checkpoint));
  const { segments } = await listSegments(dir);
  const scan = new TailScan(dir, edges, checkpoint);
  const start = edges.size;
  const first = segments[0]?.first ?? 0;
  if (first > 0) throw entriesLost(first, 0);
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1];
    if (next !== undefined && next.first <= start) continue;
    await scan.segment(segment, next === undefined);
  }
  // Restored tiles count entries whose lines nobody has looked for yet.
  const there = scan.position.first + scan.position.count;
  const recorded = Math.max(edges.size, checkpoint?.size ?? 0);
  if (there < recorded) throw entriesLost(recorded, there);
  const torn = scan.torn === undefined ? [] : [await scan.torn()];
  const recovery = { torn, rehashed: edges.size - start, tilesRebuilt: !restored };
  return { edges, position: scan.position, recovery };
}

async function restoreFromTiles(dir: string, edges: TreeEdges, checkpoint: CheckpointBody): Promise<boolean> {
  const partials = await readPartials(dir, checkpoint.size);
  if (partials === undefined) return false;
  edges.restore(checkpoint.size, partials);
  if (edges.root(EMPTY_ROOT).equals(checkpoint.root)) return true;
  edges.restore(0, []);
  return false;
}

class TailScan {
  readonly #dir: string;
  readonly #edges: TreeEdges;
  readonly #checkpoint: CheckpointBody | undefined;
  position: WritePosition = { first: 0, count: 0, offset: 0 };
  /** Sets the torn end aside, when there is one. */
  torn: (() => Promise<TornReport>) | undefined;

  constructor(dir: string, edges: TreeEdges, checkpoint: CheckpointBody | undefined) {
    this.#dir = dir;
    this.#edges = edges;
    this.#checkpoint = checkpoint;
  }

  async segment(segment: Segment, isLast: boolean): Promise<void> {
    if (segment.first > this.#edges.size) throw entriesLost(segment.first, this.#edges.size);
    const start = this.#edges.size;
    let index = segment.first;
    let offset = 0;
    const torn: Buffer[] = [];
    for await (const block of lineBlocks(segment.path)) {
      if (!block.whole) {
        torn.push(block.bytes);
        break;
      }
      const { skipped, at } = skipLines(block.bytes, torn.length > 0 ? 0 : Math.max(0, start - index));
      index += skipped;
      if (torn.length === 0) offset += at;
      for (const line of linesOf(block.bytes.subarray(at))) {
        const whole = parseLine(line.toString('utf8'))?.i;
        if (torn.length > 0 || whole !== index) {
          // Only the very end can be torn. A good line after a bad one means that somebody changed the bad one.
          if (typeof whole === 'number') throw corrupt(segment, index);
          torn.push(line, Buffer.from('\n'));
          continue;
        }
        this.#push(line);
        index += 1;
        offset += line.length + 1;
      }
    }
    const bytes = Buffer.concat(torn);
    this.position = { first: segment.first, count: index - segment.first, offset };
    if (bytes.length === 0) return;
    if (!isLast) throw corrupt(segment, index);
    this.torn = () =>
      setAside(this.#dir, segment.path, offset, bytes, 'the last line was not written to its end');
  }

  #push(line: Buffer): void {
    this.#edges.push(leafHash(line));
    const checkpoint = this.#checkpoint;
    if (checkpoint?.size !== this.#edges.size || this.#edges.root(EMPTY_ROOT).equals(checkpoint.root)) return;
    throw new LedgerError(
      'LEDGER_CORRUPT',
      `the first ${checkpoint.size} entries are not those that were signed`,
      {
        hint: 'verify the ledger to find which entry was changed',
      },
    );
  }
}

function corrupt(segment: Segment, index: number): LedgerError {
  const line = index - segment.first + 1;
  return new LedgerError('LEDGER_CORRUPT', `line ${line} of segments/${segment.name} is not entry ${index}`, {
    hint: 'verify the ledger to find what was changed; nothing was written',
  });
}

function entriesLost(claimed: number, there: number): LedgerError {
  return new LedgerError('LEDGER_ENTRIES_LOST', `${claimed} entries were recorded, ${there} are there`, {
    hint: 'restore the missing segments from a copy; nothing is appended to a log that lost entries',
  });
}
