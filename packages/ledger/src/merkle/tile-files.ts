import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listIfThere, readIfThere, replaceFile } from '../files.ts';
import { partialWidths, TILE_WIDTH, type Tile } from './edges.ts';
import { HASH_SIZE } from './hash.ts';

/** The path of a tile under a ledger, as C2SP tlog-tiles names it: `tile/0/x001/x234/067`, `…/067.p/112`. */
export function tilePath(level: number, index: number, width: number = TILE_WIDTH): string {
  const groups: string[] = [];
  for (let rest = index; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1000)) {
    const digits = String(rest % 1000).padStart(3, '0');
    groups.unshift(groups.length === 0 ? digits : `x${digits}`);
  }
  const full = `tile/${level}/${groups.join('/')}`;
  return width === TILE_WIDTH ? full : `${full}.p/${width}`;
}

/** Writes a tile. Tiles are derived from the segments: a lost one can be made again. */
export async function writeTile(dir: string, tile: Tile): Promise<void> {
  await replaceFile(join(dir, tilePath(tile.level, tile.index, tile.width)), tile.bytes);
}

/** Removes the partial tiles of one index, once a wider one is there. */
export async function dropPartials(dir: string, level: number, index: number, keep: number): Promise<void> {
  const folder = join(dir, `${tilePath(level, index)}.p`);
  const names = await listIfThere(folder);
  if (keep === 0) {
    if (names.length > 0) await rm(folder, { recursive: true, force: true });
    return;
  }
  for (const name of names) {
    if (name !== String(keep)) await rm(join(folder, name), { force: true });
  }
}

/** The first `width` hashes of a tile, from any file that has them; `undefined` when none does. */
export async function readTile(
  dir: string,
  level: number,
  index: number,
  width: number = TILE_WIDTH,
): Promise<Buffer | undefined> {
  for (const candidate of new Set([width, TILE_WIDTH])) {
    const bytes = await readExact(dir, level, index, candidate);
    if (bytes !== undefined) return bytes.subarray(0, width * HASH_SIZE);
  }
  const widest = await widestTile(dir, level, index);
  return widest !== undefined && widest.length >= width * HASH_SIZE
    ? widest.subarray(0, width * HASH_SIZE)
    : undefined;
}

/** The tile as wide as it is on disk. */
export async function widestTile(dir: string, level: number, index: number): Promise<Buffer | undefined> {
  const full = await readExact(dir, level, index, TILE_WIDTH);
  if (full !== undefined) return full;
  const [widest] = (await partialWidthsOf(dir, level, index)).toReversed();
  return widest === undefined ? undefined : readExact(dir, level, index, widest);
}

/** The widths of the partial tiles on disk, narrowest first. */
export async function partialWidthsOf(dir: string, level: number, index: number): Promise<number[]> {
  const names = await listIfThere(join(dir, `${tilePath(level, index)}.p`));
  return names
    .filter((name) => /^[1-9][0-9]{0,2}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

async function readExact(
  dir: string,
  level: number,
  index: number,
  width: number,
): Promise<Buffer | undefined> {
  const bytes = await readIfThere(join(dir, tilePath(level, index, width)));
  return bytes?.length === width * HASH_SIZE ? bytes : undefined;
}

/** The unfinished tiles of a tree of `size` entries, from files; `undefined` when one is missing. */
export async function readPartials(dir: string, size: number): Promise<Tile[] | undefined> {
  const tiles: Tile[] = [];
  let hashes = size;
  for (const [level, width] of partialWidths(size).entries()) {
    const index = Math.floor(hashes / TILE_WIDTH);
    hashes = index;
    if (width === 0) continue;
    const bytes = await readTile(dir, level, index, width);
    if (bytes === undefined) return undefined;
    tiles.push({ level, index, width, bytes });
  }
  return tiles;
}
