import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntryBody, EntryBodyOf } from './entries/types.ts';
import { type Ledger, type OpenOptions, openLedger } from './ledger.ts';

export const ORIGIN = 'her.local/test';

/** A folder for one test, gone when it ends (`await using` or `using`). */
export function scratch(): { path: string; dir: string; keyFile: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'her-ledger-'));
  return {
    path,
    dir: join(path, 'ledger'),
    keyFile: join(path, 'keys', 'log.key'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Opens a ledger for a test: no timer, small segments unless told otherwise. */
export function openTest(
  place: { dir: string; keyFile: string },
  options: Partial<OpenOptions> = {},
): Promise<Ledger> {
  const { dir, keyFile } = place;
  return openLedger({ dir, keyFile, origin: ORIGIN, checkpointSeconds: 0, segmentEntries: 100, ...options });
}

/** A metric body, as the most common entry. */
export function metric(
  step: number,
  values: Record<string, number> = { loss: 1 / (step + 1) },
): EntryBodyOf<'metric'> {
  return {
    kind: 'metric',
    study: 'tiny',
    job: '0123456789abcdef',
    attempt: '0123456789abcdef-1',
    node: 'local',
    seq: step + 1,
    from: 'swift',
    step,
    maxSteps: null,
    values,
  };
}

/** Metric bodies with steps from `first`. */
export function metrics(count: number, first = 0): EntryBody[] {
  return Array.from({ length: count }, (_, at) => metric(first + at));
}

/** The paths of a ledger's segments, oldest first. */
export function segmentPaths(dir: string): string[] {
  return readdirSync(join(dir, 'segments'))
    .sort()
    .map((name) => join(dir, 'segments', name));
}
