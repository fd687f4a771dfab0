import { z } from 'zod';

/** Answers of the agent's verbs for Slurm. What comes from a node is data. */
const job = z.string().regex(/^\d+(_\d+)?$/);

export const submitted = z.object({
  state: z.enum(['started', 'already']),
  agent: z.string().nullable(),
  tasks: z.array(z.object({ attempt: z.string(), job: job.nullable() })),
});
export type Submitted = z.infer<typeof submitted>;

export const seen = z.object({
  attempt: z.string(),
  job: job.nullable(),
  batch: z.string().nullable(),
  claimed: job.nullable(),
  health: z.enum(['absent', 'waiting', 'begun', 'ended']),
  stopped: z.boolean(),
  host: z.string().nullable(),
  waitsFor: z.array(z.string()),
  waitsOn: z.string().nullable(),
  /** Slurm's plain number of the job, also of a task of an array: srun takes no other. */
  waitsIn: z.string().regex(/^\d+$/).nullable(),
  code: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
  lastSeq: z.int(),
  agentPid: z.int().nullable(),
});
export type Seen = z.infer<typeof seen>;
