import { z } from 'zod';
import {
  Attempt,
  Count,
  entryKind,
  files,
  fromNode,
  Job,
  Name,
  Path,
  Quantity,
  Reasons,
  Sha256,
} from './fields.ts';

/** Numbers of one training step. `replaces` tells that an earlier line of this step is superseded. */
export const Metric = entryKind('metric', {
  ...fromNode,
  from: Name,
  step: Count,
  maxSteps: z.union([Count, z.null()]),
  values: z.record(z.string(), Quantity),
  replaces: z.exactOptional(z.boolean()),
});

/** A checkpoint that its node proved whole, with the hash of each file. */
export const CheckpointSaved = entryKind('checkpoint.saved', {
  ...fromNode,
  step: Count,
  path: Path,
  ...files,
});

/** A checkpoint looked at again, before something depends on it. */
export const CheckpointVerified = entryKind('checkpoint.verified', {
  job: Job,
  attempt: Attempt,
  step: Count,
  path: Path,
  digest: z.union([Sha256, z.null()]),
  whole: z.boolean(),
  why: Reasons,
});

/** A checkpoint that will not be resumed from. It is kept. */
export const CheckpointSetAside = entryKind('checkpoint.set-aside', {
  job: Job,
  attempt: Attempt,
  step: z.union([Count, z.null()]),
  path: Path,
  digest: z.exactOptional(z.union([Sha256, z.null()])),
  why: Reasons,
});

/** An output of a job that succeeded. */
export const Artifact = entryKind('artifact', { ...fromNode, name: Name, path: Path, ...files });

/** A measured number of an evaluation. */
export const Score = entryKind('score', {
  job: Job,
  attempt: Attempt,
  metric: Name,
  of: Name,
  seed: z.union([z.int(), z.string(), z.null()]),
  value: Quantity,
  n: z.union([Count, z.null()]),
  stderr: z.union([Quantity, z.null()]),
  arm: z.exactOptional(z.string()),
});
