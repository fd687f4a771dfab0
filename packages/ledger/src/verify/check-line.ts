import { canonicalize } from '../canonical-json.ts';
import type { faultOf } from '../entries/check.ts';
import { isEntryKind } from '../entries/kinds.ts';
import { LedgerError } from '../errors.ts';
import { MAX_LINE_BYTES } from '../segments/layout.ts';
import { parseLine } from '../segments/read.ts';
import type { Findings, Place } from './report.ts';

/** Checks the form of one stored line. Returns the index it claims, or `undefined` when it is not an entry. */
export function checkLine(
  bytes: Buffer,
  place: Place,
  findings: Findings,
  schemaFault: typeof faultOf,
  onBlob: (sha256: string, place: Place) => void,
): number | undefined {
  if (bytes.length > MAX_LINE_BYTES) {
    findings.error('too-long', `the line has ${bytes.length} bytes; the most is ${MAX_LINE_BYTES}`, place);
  }
  const value: (Record<string, unknown> & { i?: unknown }) | undefined = parseLine(bytes.toString('utf8'));
  if (value === undefined) {
    findings.error('not-json', 'the line is not a JSON object', place);
    return undefined;
  }
  if (!isCanonical(value, bytes)) {
    findings.error('not-canonical', 'the line is not the canonical JSON of what it says', place);
  }
  if (isEntryKind(value['kind'])) {
    const fault = schemaFault(value);
    if (fault !== undefined) findings.error('schema', `not a ${value['kind']} entry: ${fault}`, place);
  } else {
    findings.warning(
      'unknown-kind',
      `a kind this version does not know: ${JSON.stringify(value['kind'])}`,
      place,
    );
  }
  for (const [key, name] of Object.entries(value)) {
    if (key.endsWith('Blob') && typeof name === 'string') onBlob(name, place);
  }
  return typeof value.i === 'number' ? value.i : undefined;
}

function isCanonical(value: unknown, bytes: Buffer): boolean {
  try {
    return Buffer.from(canonicalize(value)).equals(bytes);
  } catch (error) {
    if (error instanceof LedgerError) return false;
    throw error;
  }
}
