import { isEntryKind } from '../entries/kinds.ts';
import type { Entry, UnknownEntry } from '../entries/types.ts';
import { LedgerError } from '../errors.ts';
import { listSegments, type Segment } from './layout.ts';
import { lineBlocks, skipLines } from './lines.ts';

export interface ReadOptions {
  /** Index of the first entry to give (default 0). */
  readonly from?: number;
  /** Stop before this index. */
  readonly to?: number;
  /** Told of entries of kinds this version does not know; they are passed over. Default: a process warning. */
  readonly onUnknown?: (entry: UnknownEntry) => void;
}

/**
 * Streams the entries of a ledger, oldest first. Needs no lock, and may run beside a writer: it ends at the
 * last whole line. Lines are parsed, not checked; `verifyLedger` checks.
 * @throws {LedgerError} `LEDGER_CORRUPT` at a line that is not an entry
 */
export async function* readEntries(dir: string, options: ReadOptions = {}): AsyncGenerator<Entry, void> {
  for await (const batch of readBatches(dir, options)) yield* batch;
}

/** As `readEntries`, but some thousand entries at a time: several times faster to fold. */
export async function* readBatches(dir: string, options: ReadOptions = {}): AsyncGenerator<Entry[], void> {
  const { from = 0, to = Number.POSITIVE_INFINITY, onUnknown = warnOfUnknown } = options;
  const { segments } = await listSegments(dir);
  for (const [position, segment] of segments.entries()) {
    const next = segments[position + 1];
    if (segment.first >= to) return;
    if (next !== undefined && next.first <= from) continue;
    let index = segment.first;
    for await (const block of lineBlocks(segment.path)) {
      if (!block.whole) break;
      const { skipped, at } = skipLines(block.bytes, Math.max(0, from - index));
      index += skipped;
      const text = block.bytes.toString('utf8', at);
      const lines = text === '' ? [] : text.slice(0, -1).split('\n');
      const wanted = lines.length > to - index ? lines.slice(0, to - index) : lines;
      yield parseLines(wanted, segment, index, onUnknown);
      index += wanted.length;
      if (index >= to) return;
    }
  }
}

function parseLines(
  lines: readonly string[],
  segment: Segment,
  first: number,
  onUnknown: (entry: UnknownEntry) => void,
): Entry[] {
  const entries: Entry[] = [];
  for (const [offset, line] of lines.entries()) {
    const i = first + offset;
    const parsed = parseLine(line);
    if (parsed === undefined || parsed.i !== i) {
      throw new LedgerError(
        'LEDGER_CORRUPT',
        `line ${i - segment.first + 1} of segments/${segment.name} is not entry ${i}`,
        { hint: 'verify the ledger to find what was changed' },
      );
    }
    if (isEntryKind(parsed.kind)) entries.push(parsed);
    else onUnknown({ i, kind: String((parsed as { kind: unknown }).kind), line });
  }
  return entries;
}

/** Parses a line; `undefined` when it is not a JSON object. */
export function parseLine(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // What this process's own kind of writer wrote was checked before; `verifyLedger` checks everyone's.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Entry)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function warnOfUnknown(entry: UnknownEntry): void {
  process.emitWarning(`entry ${entry.i} is of the unknown kind ${JSON.stringify(entry.kind)}; passed over`, {
    code: 'HER_LEDGER_UNKNOWN_KIND',
  });
}
