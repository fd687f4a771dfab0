import { LedgerError } from '../errors.ts';
import { perfectRoot, splitHashes } from './edges.ts';
import { HASH_SIZE } from './hash.ts';
import type { HashReader } from './proofs.ts';

/** Gives at least the first `width` hashes of a tile, or `undefined` when it is not there. */
export type TileSource = (level: number, index: number, width: number) => Promise<Buffer | undefined>;

const TILE_LEVELS = 8;

/**
 * Reads inner nodes from tiles: a node at tree level 8·L + r is the root over 2^r hashes of a tile at level L.
 * @throws {LedgerError} `LEDGER_PROOF` when a tile is missing
 */
export function tileHashReader(source: TileSource): HashReader {
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const span = 2 ** (level % TILE_LEVELS);
    const perTile = 2 ** TILE_LEVELS / span;
    const tile = Math.floor(index / perTile);
    const start = (index % perTile) * span;
    const bytes = await source(tileLevel, tile, start + span);
    if (bytes === undefined || bytes.length < (start + span) * HASH_SIZE) {
      throw new LedgerError('LEDGER_PROOF', `tile ${tile} of level ${tileLevel} is missing or too short`, {
        hint: 'open the ledger for writing once: its tiles are made again from the segments',
      });
    }
    return perfectRoot(splitHashes(bytes.subarray(start * HASH_SIZE, (start + span) * HASH_SIZE)));
  };
}
