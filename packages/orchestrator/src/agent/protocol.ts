import { z } from 'zod';

/** Wire format between `her` and the agent (workers/python/src/her_agent). What comes from a node is data. */
export const agentProtocol = 1;

/** What an attempt is started with. `env` and `secrets` go over standard input and are kept nowhere. */
export type StartRequest = {
  protocol: typeof agentProtocol;
  attempt: string;
  token: string;
  job: { id: string; name: string };
  files: Record<string, string>;
  inputs: { name: string; path: string; digest: string | null }[];
  ranks: { argv: string[] }[];
  env: Record<string, string>;
  secrets: Record<string, string>;
  metrics: { format: string; path: string; maxSteps?: number }[];
  checkpoints: { format: string; path: string; worldSize: number } | null;
  seeds: { format: string } | null;
  outputs: { name: string; path: string }[];
  /** How the nodes of one attempt find each other, where there are several. */
  gang?: GangPlace;
  /** Hex; what the agents of a gang know each other by. Kept nowhere on a node. */
  gangKey?: string | null;
  limits: {
    firstStepSeconds: number;
    silenceSeconds: number;
    graceSeconds: number;
    heartbeatSeconds: number;
  };
};

/** One node's place in its gang. `address` is node 0's as the others reach it; both ports are there. */
export type GangPlace = {
  index: number;
  size: number;
  /** The attempt's own id: that of node 0. */
  main: string;
  address: string;
  linkPort: number;
  port: number;
  launcher: 'torchrun' | 'ray';
  gpusPerNode: number;
  cores: number;
};

export const startReply = z.object({
  attempt: z.string(),
  state: z.enum(['started', 'already']),
  health: z.string(),
  pid: z.int().nullable(),
  bootId: z.string().nullable(),
  agent: z.string().nullable(),
});

/** `lost`: the agent is proven gone and left no exit record. `orphans`: process groups of its ranks still alive. */
export const statusReply = z.object({
  attempt: z.string(),
  health: z.enum(['running', 'ended', 'lost', 'absent']),
  code: z.int().nullish(),
  signal: z.string().nullish(),
  reason: z.string().nullish(),
  lastSeq: z.int().nullish(),
  orphans: z.array(z.int()).default([]),
  agentPid: z.int().nullish(),
  /** Where it is still in a scheduler's queue: why and until when, for people. */
  waits: z.string().nullish(),
});

export const checkReply = z.object({
  whole: z.boolean(),
  step: z.int().nullable(),
  why: z.array(z.string()),
});
export const fileHash = z.object({ path: z.string(), size: z.int(), sha256: z.string() });
export const hashReply = z.object({ files: z.array(fileHash), digest: z.string() });
export const errorReply = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullish() }),
});

const head = { seq: z.int().positive(), time: z.string() };
const number = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]);

const knownTypes = ['heartbeat', 'started', 'seeds', 'metric', 'checkpoint', 'output', 'ended'];

/** One line of an attempt's events. Types that this version does not know are kept as they come. */
export const agentEvent = z.union([
  z.object({ ...head, type: z.literal('heartbeat') }).loose(),
  z.object({ ...head, type: z.literal('started'), pid: z.int().nullable(), host: z.string() }).loose(),
  z.object({
    ...head,
    type: z.literal('seeds'),
    values: z.array(
      z.object({ source: z.string(), value: z.union([z.number(), z.string(), z.null()]), where: z.string() }),
    ),
  }),
  z.object({
    ...head,
    type: z.literal('metric'),
    step: z.int(),
    maxSteps: z.int().nullish(),
    values: z.record(z.string(), number),
    from: z.string(),
    replaces: z.boolean().optional(),
  }),
  z.object({
    ...head,
    type: z.literal('checkpoint'),
    step: z.int(),
    path: z.string(),
    files: z.array(fileHash),
    digest: z.string(),
  }),
  z.object({
    ...head,
    type: z.literal('output'),
    name: z.string(),
    path: z.string(),
    files: z.array(fileHash),
    digest: z.string(),
  }),
  z
    .object({
      ...head,
      type: z.literal('ended'),
      code: z.int().nullable(),
      signal: z.string().nullable(),
      reason: z.string(),
      message: z.string().optional(),
      tails: z.record(z.string(), z.string()).default({}),
      steps: z.int().nullish(),
      by: z.record(z.string(), z.json()).optional(),
    })
    .loose(),
  z
    .object({
      ...head,
      type: z.string().refine((type) => !knownTypes.includes(type), 'an event of this type must be whole'),
    })
    .loose(),
]);
export type AgentEvent = z.infer<typeof agentEvent>;
export type KnownEvent<T extends string> = Extract<AgentEvent, { type: T }>;
export type FileHash = z.infer<typeof fileHash>;
export type StartReply = z.infer<typeof startReply>;
export type AgentStatus = z.infer<typeof statusReply>;
