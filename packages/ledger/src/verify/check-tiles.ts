import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import { TILE_WIDTH, type Tile } from '../merkle/edges.ts';
import { HASH_SIZE } from '../merkle/hash.ts';
import { partialWidthsOf, tilePath } from '../merkle/tile-files.ts';

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
  const widths = new Set(await partialWidthsOf(dir, tile.level, tile.index));
  if (required) widths.add(tile.width);
  else if ((await readIfThere(join(dir, tilePath(tile.level, tile.index)))) !== undefined)
    widths.add(TILE_WIDTH);
  const faults: TileFault[] = [];
  for (const width of widths) {
    // A live writer may have gone on since the lines were read.
    if (width > tile.width) continue;
    const path = tilePath(tile.level, tile.index, width);
    const there = await readIfThere(join(dir, path));
    const what =
      there === undefined
        ? 'missing'
        : there.equals(tile.bytes.subarray(0, width * HASH_SIZE))
          ? undefined
          : 'altered';
    const entry = tile.index * TILE_WIDTH ** (tile.level + 1);
    if (what !== undefined) faults.push({ path, level: tile.level, what, entry });
  }
  return faults;
}
