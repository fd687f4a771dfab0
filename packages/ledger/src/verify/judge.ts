import type { ExpectedRoot } from './check-checkpoints.ts';
import type { TileFault } from './check-tiles.ts';
import type { LeafTiles } from './leaf-tiles.ts';
import type { Findings } from './report.ts';
import type { Scan } from './scan.ts';

/**
 * Decides what was changed where lines, tiles and signed roots do not agree. Tiles alone prove nothing; tiles
 * that reproduce a signed root do, and then show which line differs.
 */
export async function judge(
  scan: Scan,
  expected: readonly ExpectedRoot[],
  faults: readonly TileFault[],
  leaves: LeafTiles,
  findings: Findings,
): Promise<void> {
  const last = expected.at(-1);
  if (last !== undefined && last.size > scan.size) {
    const message = `${last.size} entries were signed, ${scan.size} are there`;
    findings.error('entries-missing', message, { entry: scan.size });
  }
  const linesFailed = reportRoots(scan, expected, findings);
  const tilesHold =
    scan.mismatches.length > 0 &&
    last !== undefined &&
    (await leaves.rootAt(last.size))?.equals(last.root) === true;
  for (const { index, place } of scan.mismatches) {
    if (tilesHold && index < last.size) {
      findings.error('entry-altered', `entry ${index} is not the one that was signed`, place);
    } else if (linesFailed || index >= (last?.size ?? 0)) {
      findings.error('leaf-mismatch', `entry ${index} and the hash recorded for it differ`, place);
    }
  }
  for (const { path, what, entry, level } of faults) {
    if (what === 'missing') {
      findings.warning('tile-missing', `${path} is missing; it can be made again from the segments`, {
        entry,
      });
    } else if (!linesFailed || (level > 0 && !tilesHold && scan.mismatches.length === 0)) {
      const message = `${path} was altered; the entries are not, and it can be made again from them`;
      findings.error('tile-altered', message, { entry });
    }
  }
}

/** Reports the first signed root that does not hold, and that some do not. Returns whether there is one. */
function reportRoots(scan: Scan, expected: readonly ExpectedRoot[], findings: Findings): boolean {
  const failed = expected.filter((root) => scan.failed.has(root) && root.size <= scan.size);
  const [first] = failed;
  if (first === undefined) return scan.failed.size > 0;
  const good = expected.filter((root) => !scan.failed.has(root) && root.size < first.size).at(-1)?.size ?? 0;
  const others = failed.length > 1 ? ` (and ${failed.length - 1} later ones)` : '';
  const message = `the entries are not those that checkpoint ${first.line} signed${others}: the first change is in entries ${good} to ${first.size - 1}`;
  findings.error('root-mismatch', message, { entry: good });
  return true;
}
