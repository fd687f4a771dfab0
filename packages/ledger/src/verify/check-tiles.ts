import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import { TILE_WIDTH, type Tile } from '../merkle/edges.ts';
import { HASH_SIZE } from '../merkle/hash.ts';
import { partialWidthsOf, readTile, tilePath } from '../merkle/tile-files.ts';

/** A tile on disk that is not what the lines make it. */
export interface TileFault {
  readonly path: string;
  readonly level: number;
  readonly what: 'missing' | 'altered';
  /** First entry under the tile. */
  readonly entry: number;
}

/**
 * Holds the files of one tile against what the lines make it: the file of its own width, and every partial one.
 * @param required whether the file must be there (it lies under a checkpoint)
 */
export async function tileFaults(dir: string, tile: Tile, required: boolean): Promise<TileFault[]> {
  const widths = await partialWidthsOf(dir, tile.level, tile.index);
  const faults: TileFault[] = [];
  const entry = tile.index * TILE_WIDTH ** (tile.level + 1);
  const fault = (width: number, what: TileFault['what']) =>
    faults.push({ path: tilePath(tile.level, tile.index, width), level: tile.level, what, entry });
  for (const width of new Set([...widths, tile.width])) {
    // A live writer may have gone on since the lines were read, and replaced narrow tiles by wider ones.
    if (width > tile.width) continue;
    const there = await readIfThere(join(dir, tilePath(tile.level, tile.index, width)));
    if (there !== undefined && !there.equals(tile.bytes.subarray(0, width * HASH_SIZE)))
      fault(width, 'altered');
  }
  if (required && faults.length === 0) {
    const there = await readTile(dir, tile.level, tile.index, tile.width);
    if (there === undefined) fault(tile.width, 'missing');
  }
  return faults;
}
