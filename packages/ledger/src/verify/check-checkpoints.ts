import { canonicalize } from '../canonical-json.ts';
import { checkpointPath, checkpointsPath, parseCheckpointLine } from '../checkpoints.ts';
import { LedgerError } from '../errors.ts';
import { listIfThere, readIfThere } from '../files.ts';
import type { CheckpointBody } from '../note/checkpoint.ts';
import type { NoteVerifier } from '../note/keys.ts';
import { openNote } from '../opening.ts';
import { lineBlocks, linesOf } from '../segments/lines.ts';
import type { CheckedCheckpoint, Findings } from './report.ts';

/** A root that the entries must have at a size. */
export interface ExpectedRoot {
  readonly size: number;
  readonly root: Buffer;
  /** Line of `checkpoints.jsonl`; 0 for the older checkpoint that the caller holds. */
  readonly line: number;
}

/** Checks every checkpoint note that was ever signed, and gives the roots they claim. */
export async function checkCheckpoints(
  dir: string,
  origin: string | undefined,
  verifier: NoteVerifier | undefined,
  findings: Findings,
): Promise<{ checked: CheckedCheckpoint[]; expected: ExpectedRoot[] }> {
  const checked: CheckedCheckpoint[] = [];
  const expected: ExpectedRoot[] = [];
  const notes = new Map<string, number>();
  const latest = (await readIfThere(checkpointPath(dir)))?.toString('utf8');
  if (!(await listIfThere(dir)).includes('checkpoints.jsonl')) {
    if (latest !== undefined)
      findings.error('checkpoint-lost', 'there is a checkpoint but no checkpoints.jsonl');
    return { checked, expected };
  }
  let line = 0;
  let size = 0;
  for await (const block of lineBlocks(checkpointsPath(dir))) {
    if (!block.whole) {
      const place = { line: line + 1, byte: block.offset };
      findings.error('torn-line', 'checkpoints.jsonl does not end in a whole line', place);
      break;
    }
    let byte = block.offset;
    for (const bytes of linesOf(block.bytes)) {
      line += 1;
      const place = { line, byte };
      byte += bytes.length + 1;
      const body = checkLine(bytes, origin, verifier, (code, why) => findings.error(code, why, place));
      const text = parseCheckpointLine(bytes.toString('utf8'));
      if (text !== undefined) notes.set(text.note, line);
      if (body === undefined) continue;
      if (body.size < size)
        findings.error('checkpoint-order', `checkpoint ${line} is older than the one before it`, place);
      size = Math.max(size, body.size);
      checked.push({
        line,
        size: body.size,
        root: body.root.toString('base64'),
        signers: verifier ? [verifier.name] : [],
        ok: true,
      });
      expected.push({ size: body.size, root: body.root, line });
    }
  }
  checkLatest(latest, notes, line, findings);
  return { checked, expected };
}

function checkLine(
  bytes: Buffer,
  origin: string | undefined,
  verifier: NoteVerifier | undefined,
  fault: (code: 'checkpoint-malformed' | 'checkpoint-signature', why: string) => void,
): CheckpointBody | undefined {
  const line = parseCheckpointLine(bytes.toString('utf8'));
  if (line === undefined) {
    fault('checkpoint-malformed', 'this line of checkpoints.jsonl is not a checkpoint');
    return undefined;
  }
  if (verifier === undefined) {
    fault('checkpoint-signature', 'without a key no checkpoint can be checked');
    return undefined;
  }
  try {
    const body = openNote(line.note, origin ?? verifier.name, verifier);
    const same = { note: line.note, root: body.root.toString('base64'), size: body.size };
    if (Buffer.from(canonicalize(same)).equals(bytes)) return body;
    fault('checkpoint-malformed', 'this line of checkpoints.jsonl says other than its note');
    return body;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    fault(
      error.code === 'LEDGER_NOTE_MALFORMED' ? 'checkpoint-malformed' : 'checkpoint-signature',
      error.message,
    );
    return undefined;
  }
}

function checkLatest(
  latest: string | undefined,
  notes: Map<string, number>,
  last: number,
  findings: Findings,
): void {
  if (latest === undefined) {
    if (last > 0)
      findings.warning('checkpoint-lost', 'the file checkpoint is missing; opening for writing restores it');
    return;
  }
  const line = notes.get(latest);
  if (line === undefined) {
    findings.error('checkpoint-lost', 'the file checkpoint is not among the lines of checkpoints.jsonl');
  } else if (line !== last) {
    findings.warning(
      'checkpoint-lost',
      'the file checkpoint is not the latest; opening for writing renews it',
    );
  }
}
