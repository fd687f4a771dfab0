import { join } from 'node:path';
import { listIfThere } from '../files.ts';

/** The longest line, without its newline: what the tlog-tiles entry bundles can carry. */
export const MAX_LINE_BYTES = 65_535;

/** Entries in a segment: 256 full tiles of 256. */
export const DEFAULT_SEGMENT_ENTRIES = 65_536;

/** A file of lines. Its name is the index of its first entry, so that nothing else has to tell the position. */
export interface Segment {
  readonly name: string;
  readonly path: string;
  readonly first: number;
}

export function segmentsFolder(dir: string): string {
  return join(dir, 'segments');
}

export function segmentAt(dir: string, first: number): Segment {
  const name = `${String(first).padStart(9, '0')}.jsonl`;
  return { name, path: join(segmentsFolder(dir), name), first };
}

/** The segments of a ledger in order, and the names in their folder that are not segments. */
export async function listSegments(dir: string): Promise<{ segments: Segment[]; strangers: string[] }> {
  const segments: Segment[] = [];
  const strangers: string[] = [];
  for (const name of await listIfThere(segmentsFolder(dir))) {
    const first = /^\d{9,15}\.jsonl$/.test(name) ? Number.parseInt(name, 10) : -1;
    if (first >= 0 && segmentAt(dir, first).name === name) segments.push(segmentAt(dir, first));
    else strangers.push(name);
  }
  segments.sort((a, b) => a.first - b.first);
  return { segments, strangers };
}
