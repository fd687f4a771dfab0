import { z } from 'zod';
import {
  Attempt,
  Count,
  entryKind,
  fromNode,
  Job,
  Name,
  Path,
  Reasons,
  Seed,
  Sha256,
  Time,
} from './fields.ts';

const ResumedFrom = z.strictObject({
  attempt: Attempt,
  step: Count,
  path: Path,
  digest: z.union([Sha256, z.null()]),
});

/** What `her` chose to do, written before it is done. The token makes the doing idempotent. */
export const Decision = entryKind('decision', {
  action: z.enum(['start', 'resume', 'skip', 'give-up', 'stop', 'reap', 'lift-stop']),
  job: Job,
  attempt: z.union([Attempt, z.null()]),
  token: Name,
  why: z.string().max(10_000),
  after: z.exactOptional(z.union([Attempt, z.null()])),
  /** Where an attempt is to run: node 0 of a gang first. */
  nodes: z.exactOptional(z.array(Name).min(1)),
  resumeFrom: z.exactOptional(ResumedFrom),
});

/** An attempt began to run on a target. */
export const AttemptStarted = entryKind('attempt.started', {
  job: Job,
  attempt: Attempt,
  target: Name,
  node: Name,
  token: Name,
  pid: z.union([Count, z.null()]),
  bootId: z.union([z.string(), z.null()]),
  agent: z.union([Sha256, z.null()]),
  resumedFrom: z.exactOptional(z.union([ResumedFrom, z.null()])),
});

const ending = {
  ...fromNode,
  code: z.union([z.int(), z.null()]),
  signal: z.union([z.string(), z.null()]),
  reason: Name,
  class: z.union([Name, z.null()]),
  cause: z.union([z.string(), z.null()]),
  remedy: z.union([z.string(), z.null()]),
  policy: z.exactOptional(z.enum(['retry', 'stop'])),
  tailBlob: z.union([Sha256, z.null()]),
  lastStep: z.union([Count, z.null()]),
};

/** An attempt ended, how, and what that means. Of a gang it names the node where it began to end. */
export const AttemptEnded = entryKind('attempt.ended', ending);

/** One node of a gang ended. `by`: the node and rank whose end ended this one. */
export const NodeEnded = entryKind('node.ended', {
  ...ending,
  by: z.exactOptional(z.record(z.string(), z.json())),
});

/** Since when a node of an attempt cannot be reached, which says nothing about the attempt; and that it was again. */
export const NodeReach = entryKind('node.reach', {
  job: Job,
  attempt: Attempt,
  node: Name,
  reached: z.boolean(),
  since: Time,
  why: z.exactOptional(z.string().max(2_000)),
});

/** A file or folder that an attempt reads on a node, as it was hashed there. */
export const InputPlaced = entryKind('input.placed', {
  job: Job,
  attempt: Attempt,
  node: Name,
  name: Name,
  path: Path,
  digest: Sha256,
  how: z.enum(['there', 'copied', 'reused']),
});

/** The key of a host that was accepted, or that a run was reached under. */
export const HostKey = entryKind('host.key', {
  host: Name,
  fingerprint: z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/),
  algorithm: Name,
  how: z.enum(['accepted', 'known', 'removed']),
  file: z.exactOptional(Path),
});

const ResumeCheck = z.strictObject({
  what: Name,
  status: z.enum(['agrees', 'differs', 'unknown', 'restarted']),
  expected: z.exactOptional(z.json()),
  found: z.exactOptional(z.json()),
});

/** Whether a resumed attempt was shown to go on where its checkpoint stopped. */
export const ResumeProved = entryKind('resume.proved', {
  job: Job,
  attempt: Attempt,
  status: z.enum(['proved', 'resume-unproven']),
  checks: z.array(ResumeCheck),
  why: z.exactOptional(Reasons),
});

/** A source of randomness, as the running trainer reported it back, beside what was planned. */
export const SeedUsed = entryKind('seed.used', {
  ...fromNode,
  source: Name,
  planned: Seed,
  used: Seed,
  where: z.union([z.string(), z.null()]),
  status: z.enum(['applied', 'differs', 'unplanned', 'missing']),
});

/** Anything else a node reported; `type` and `data` are its own. */
export const NodeEvent = entryKind('event', {
  ...fromNode,
  type: Name,
  data: z.exactOptional(z.record(z.string(), z.json())),
});
