/**
 * What a check found.
 *
 * Altered or lost: `entry-altered` (its hash is not the one recorded), `leaf-mismatch` (entry and tile differ,
 * and neither fits a checkpoint), `root-mismatch` (the entries are not those that were signed),
 * `entries-missing`, `segment-gap`, `wrong-index`, `not-json`, `not-canonical`, `too-long`, `schema`,
 * `torn-line`, `blob-missing`, `blob-altered`, `checkpoint-malformed`, `checkpoint-signature`,
 * `checkpoint-order`, `checkpoint-lost`, `key`, `origin`, `tile-altered`, `against`.
 * Worth knowing: `unknown-kind`, `tile-missing`, `stranger`, `unsealed`.
 */
export type FindingCode =
  | 'entry-altered'
  | 'leaf-mismatch'
  | 'root-mismatch'
  | 'entries-missing'
  | 'segment-gap'
  | 'wrong-index'
  | 'not-json'
  | 'not-canonical'
  | 'too-long'
  | 'schema'
  | 'unknown-kind'
  | 'torn-line'
  | 'blob-missing'
  | 'blob-altered'
  | 'checkpoint-malformed'
  | 'checkpoint-signature'
  | 'checkpoint-order'
  | 'checkpoint-lost'
  | 'key'
  | 'origin'
  | 'tile-altered'
  | 'tile-missing'
  | 'stranger'
  | 'unsealed'
  | 'against';

export interface Place {
  readonly entry?: number;
  /** File name under `segments/`. */
  readonly segment?: string;
  /** Line of the segment, or of `checkpoints.jsonl`, from 1. */
  readonly line?: number;
  /** Where that line starts in its file. */
  readonly byte?: number;
}

export interface Finding extends Place {
  readonly code: FindingCode;
  /** `error`: the record is not what it was. `warning`: it is, and something is worth knowing. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface CheckedCheckpoint {
  readonly line: number;
  readonly size: number;
  readonly root: string;
  readonly signers: readonly string[];
  /** Signature and root hold. */
  readonly ok: boolean;
}

export interface VerifyReport {
  /** No finding is an error. */
  readonly ok: boolean;
  readonly origin: string | undefined;
  readonly vkey: string | undefined;
  /** A key from the ledger's own folder shows that nothing was damaged, not that nobody rewrote it all. */
  readonly keyFrom: 'caller' | 'ledger';
  /** Whole lines found. */
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** Entries under a checkpoint that holds. Those after it rest on nothing but their form. */
  readonly sealed: number;
  readonly checkpoints: readonly CheckedCheckpoint[];
  /** The older checkpoint that was given, when it was. */
  readonly against: { readonly size: number; readonly ok: boolean } | undefined;
  readonly blobs: { readonly named: number; readonly unnamed: number };
  /** Torn ends set aside by earlier openings. */
  readonly torn: number;
  readonly findings: readonly Finding[];
  /** Findings beyond those listed. */
  readonly more: number;
}

const MAX_FINDINGS = 500;

/** Gathers findings, the first of each flood. */
export class Findings {
  readonly list: Finding[] = [];
  more = 0;
  errors = 0;

  error(code: FindingCode, message: string, place: Place = {}): void {
    this.errors += 1;
    this.#add({ code, severity: 'error', message, ...place });
  }

  warning(code: FindingCode, message: string, place: Place = {}): void {
    this.#add({ code, severity: 'warning', message, ...place });
  }

  #add(finding: Finding): void {
    if (this.list.length < MAX_FINDINGS) this.list.push(finding);
    else this.more += 1;
  }
}
