import { z } from 'zod';
import { entryKind, Job, Name, Seed, Sha256 } from './fields.ts';

const PlannedJob = z.strictObject({ id: Job, name: Name, stage: Name, arm: z.string(), seed: Seed });

/** What will be run, and what it will be judged by, before anything ran. Jobs of a large plan stay in the blob. */
export const StudyRegistered = entryKind('study.registered', {
  name: Name,
  digest: Sha256,
  fileBlob: Sha256,
  planBlob: Sha256,
  jobs: z.exactOptional(z.array(PlannedJob)),
});

/** A study file that replaces a registered one; `was` is the digest it replaces. */
export const StudyAmended = entryKind('study.amended', {
  name: Name,
  digest: Sha256,
  was: Sha256,
  why: z.exactOptional(z.string()),
  changed: z.exactOptional(z.array(z.string())),
  fileBlob: Sha256,
  planBlob: Sha256,
  jobs: z.exactOptional(z.array(PlannedJob)),
});

/** The installed packages and the machine of one attempt; the whole list is in the blob. */
export const Environment = entryKind('environment', {
  job: z.exactOptional(Job),
  attempt: z.exactOptional(Name),
  node: Name,
  digest: Sha256,
  packages: z.exactOptional(z.record(z.string(), z.string())),
  facts: z.exactOptional(z.record(z.string(), z.json())),
  packagesBlob: z.exactOptional(Sha256),
});

/** A remark by a person or by `her`, with no effect on the fold. */
export const Note = entryKind('note', {
  text: z.string().max(30_000),
  by: z.exactOptional(Name),
  job: z.exactOptional(Job),
  data: z.exactOptional(z.record(z.string(), z.json())),
});

/** Another party saw this log at `size` and checked that it only grew. */
export const Cosigned = entryKind('cosigned', {
  witness: Name,
  size: z.int().min(0),
  root: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  cosignature: z.string().min(1).max(20_000),
});
