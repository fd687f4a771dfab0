import { z } from 'zod';

/** A name that people choose: one line, not empty. */
export const Name = z.string().min(1).max(500);

/** SHA-256 in lower-case hex. A field that ends in `Blob` names a blob of this ledger by it. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** UTC, to the millisecond. */
export const Time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** A job's id: the hash of what it runs, 16 hex digits. */
export const Job = z.string().min(1).max(64);

/** An attempt's id, `<job>-<n>`. */
export const Attempt = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/);

export const Count = z.int().min(0);

/** A place inside an attempt's folder, or an absolute one on its node. */
export const Path = z.string().min(1).max(4096);

/** A number as the ledger spells it: what JSON cannot carry exactly is a string that `Number()` reads back. */
export const Quantity = z.union([z.number(), z.string().regex(/^(NaN|-?Infinity|-?\d(\.\d+)?e\+\d+)$/)]);

/** A seed: an integer, a string (past 2^53, or a name), or null when there is none. */
export const Seed = z.union([z.int(), z.string(), z.null()]);

/** Lines of explanation. */
export const Reasons = z.array(z.string());

/** One file of a checkpoint or an artifact. */
export const FileHash = z.strictObject({ path: Path, size: Count, sha256: Sha256 });

/** Whose node reported it: the fold asks for `seq` + 1 next. `at` is the node's own clock. */
export const fromNode = {
  job: Job,
  attempt: Attempt,
  node: Name,
  seq: Count,
  at: z.exactOptional(Time),
};

/** The files that a digest covers, here or, when many, in a blob (a JSON array of the same objects). */
export const files = {
  digest: Sha256,
  files: z.exactOptional(z.array(FileHash)),
  filesBlob: z.exactOptional(Sha256),
};

/** A schema of one kind: its fields lie flat beside `kind` and `study`. */
export function entryKind<Kind extends string, Shape extends z.core.$ZodShape>(kind: Kind, shape: Shape) {
  return z.strictObject({ kind: z.literal(kind), study: Name, ...shape });
}
