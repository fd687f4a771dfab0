import { z } from 'zod';
import {
  AttemptEnded,
  AttemptStarted,
  Decision,
  HostKey,
  InputPlaced,
  NodeEnded,
  NodeEvent,
  NodeReach,
  ResumeProved,
  SeedUsed,
} from './attempt.ts';
import { Count, Time } from './fields.ts';
import { Notice } from './notice.ts';
import {
  Artifact,
  CheckpointSaved,
  CheckpointSetAside,
  CheckpointVerified,
  Metric,
  Score,
} from './result.ts';
import { CheckpointRemoved, CheckpointStored } from './storage.ts';
import { Cosigned, Environment, Note, StudyAmended, StudyRegistered } from './study.ts';

const bodies = [
  StudyRegistered,
  StudyAmended,
  Decision,
  Environment,
  AttemptStarted,
  AttemptEnded,
  NodeEnded,
  NodeReach,
  InputPlaced,
  HostKey,
  ResumeProved,
  SeedUsed,
  Metric,
  NodeEvent,
  CheckpointSaved,
  CheckpointVerified,
  CheckpointSetAside,
  CheckpointStored,
  CheckpointRemoved,
  Artifact,
  Score,
  Cosigned,
  Notice,
  Note,
] as const;

/** What a caller gives to `append`. */
export const EntryBodySchema = z.discriminatedUnion('kind', bodies);

/** What the ledger adds: format version, position, and when it was recorded. */
export const EnvelopeSchema = z.strictObject({ v: z.literal(1), i: Count, time: Time });

type Body = z.infer<typeof EntryBodySchema>;

/** What a caller gives to `append`: an entry without `v`, `i` and `time`. */
export type EntryBody = Body;

/** One line of the ledger. */
export type Entry = Body & z.infer<typeof EnvelopeSchema>;

/** JSON Schema of a line: one definition a kind. */
export function entryJsonSchema(): Record<string, unknown> {
  const lines = bodies.map((body) => body.extend(EnvelopeSchema.shape));
  const [first, ...rest] = lines;
  if (first === undefined) throw new RangeError('no kinds');
  const schema = z.toJSONSchema(z.union([first, ...rest]), { target: 'draft-2020-12' });
  return { ...schema, title: 'One line of a her ledger' };
}
