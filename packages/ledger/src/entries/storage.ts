import { z } from 'zod';
import { Attempt, Count, entryKind, Job, Name, Path, Sha256 } from './fields.ts';

const checkpoint = { job: Job, attempt: Attempt, step: Count, path: Path, digest: Sha256 };

/** A folder of a store, without its endpoint: `s3://bucket/prefix/…`. */
const Url = z
  .string()
  .regex(/^s3:\/\/[^/\s]+\/\S*$/)
  .max(2048);

/**
 * A whole checkpoint lies in a store: every file's bytes were checked there, and the manifest, whose SHA-256 this is,
 * was written last. `node` is where it was read; `bytes` are those of its files.
 */
export const CheckpointStored = entryKind('checkpoint.stored', {
  ...checkpoint,
  node: Name,
  url: Url,
  bytes: Count,
  manifest: Sha256,
});

/**
 * A checkpoint is no longer to be had there. From a store it is removed by `her`, after this entry; from a node by its
 * trainer, before it could be stored.
 */
export const CheckpointRemoved = entryKind('checkpoint.removed', {
  ...checkpoint,
  from: z.enum(['store', 'node']),
  url: z.union([Url, z.null()]),
  why: z.string().min(1).max(10_000),
});
