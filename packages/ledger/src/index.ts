import type { verifyLedger as verify } from './verify/verify.ts';

export { blobPath, getBlob, putBlob } from './blobs.ts';
export { canonicalize } from './canonical-json.ts';
export type { CheckpointLine } from './checkpoints.ts';
export { type FileFields, type FileHash, fileFields, filesOf } from './entries/file-lists.ts';
export { ENTRY_KINDS, type EntryKind, isEntryKind } from './entries/kinds.ts';
export { type Quantity, readQuantity, spellQuantity } from './entries/quantity.ts';
export type { Entry, EntryBody, EntryBodyOf, EntryOf, UnknownEntry } from './entries/types.ts';
export { LedgerError, type LedgerErrorCode } from './errors.ts';
export { type Ledger, type OpenOptions, openLedger } from './ledger.ts';
export type { LockHolder } from './lock/lock.ts';
export { EMPTY_ROOT, leafHash, nodeHash, sha256Hex } from './merkle/hash.ts';
export { verifyConsistency, verifyInclusion } from './merkle/proofs.ts';
export { type CheckpointBody, formatCheckpoint, parseCheckpoint } from './note/checkpoint.ts';
export {
  formatSkey,
  type NoteSigner,
  type NoteVerifier,
  parseSkey,
  parseVkey,
  verifyNote,
} from './note/keys.ts';
export { formatNote, type NoteSignature, parseNote, type SignedNote } from './note/signed-note.ts';
export type { Recovery } from './recovery.ts';
export { type ReadOptions, readBatches, readEntries } from './segments/read.ts';
export type { TornReport } from './torn.ts';
export type { CheckedCheckpoint, Finding, FindingCode, VerifyReport } from './verify/report.ts';
export type { VerifyOptions } from './verify/verify.ts';

/** See `verify/verify.ts`. Loaded when it is called: it brings the schemas with it. */
export const verifyLedger: typeof verify = async (dir, options) =>
  (await import('./verify/verify.ts')).verifyLedger(dir, options);
