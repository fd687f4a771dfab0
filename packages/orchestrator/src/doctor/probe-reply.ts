import { z } from 'zod';

/** What a node answers is data: all of it is checked here, and texts are cut to what a line can hold. */
const text = z.string().transform((said) => said.slice(0, 500));
const size = z.number().nonnegative().nullable();

/** One question's answer: asked side by side with the others, each may fail or come too late. */
const answered = <T extends z.ZodType>(value: T) =>
  z.union([z.object({ ok: value }), z.object({ error: text }), z.object({ late: z.number() })]);
export type Answer<T> = { ok: T } | { error: string } | { late: number };

const machine = z.object({
  host: text,
  bootId: text,
  kernel: text,
  os: text,
  python: text,
  user: text,
  uid: z.int(),
  home: text,
  cores: z.int(),
  memoryBytes: size,
  freeMemoryBytes: size,
  load: z.array(z.number()),
  shmBytes: size,
  freeShmBytes: size,
  openFiles: size,
  lockedMemory: size,
  clockSynchronized: z.boolean().nullable(),
});
export type MachineFacts = z.infer<typeof machine>;

const gpu = z.object({
  index: z.int(),
  name: text.nullable(),
  uuid: text.nullable(),
  totalBytes: size,
  usedBytes: size,
  freeBytes: size,
  uncorrectedErrors: size,
  remapPending: z.boolean(),
  remapFailed: z.boolean(),
  mig: z.boolean(),
  persistence: z.boolean().nullable(),
  processes: z.array(
    z.object({
      pid: z.int().nullable(),
      name: text,
      graphics: z.boolean(),
      bytes: size,
      user: text.nullable().optional(),
    }),
  ),
});
export type GpuFacts = z.infer<typeof gpu>;

const gpus = z.object({
  tool: z.enum(['nvidia-smi', 'rocm-smi']).nullable(),
  problem: text.nullable(),
  vendor: z.enum(['nvidia', 'amd']).nullable(),
  driver: text.nullable(),
  cuda: text.nullable(),
  gpus: z.array(gpu),
});

const folder = z.object({
  path: text,
  exists: z.boolean().optional(),
  folder: z.boolean().optional(),
  nearest: text.optional(),
  freeBytes: z.number().optional(),
  freeInodes: size.optional(),
  mount: text.optional(),
  fileSystem: text.optional(),
  problem: text.nullable(),
});
export type FolderFacts = z.infer<typeof folder>;

const environment = z.object({
  path: text,
  exists: z.boolean(),
  python: z.boolean(),
  versions: z.record(z.string(), text),
});

export const probeReply = z.object({
  protocol: z.literal(1),
  received: z.string().regex(/^\d{1,20}$/),
  answered: z.string().regex(/^\d{1,20}$/),
  machine: answered(machine),
  gpus: answered(gpus),
  programs: answered(z.record(z.string(), text.nullable())),
  folders: z.record(z.string(), answered(folder)),
  paths: z.record(
    z.string(),
    answered(z.object({ path: text, folder: z.boolean(), bytes: size, readable: z.boolean() })),
  ),
  models: z.record(
    z.string(),
    answered(z.object({ path: text, bytes: z.number(), problems: z.array(text) })),
  ),
  environments: z.record(z.string(), answered(environment)),
  reach: z.record(z.string(), answered(z.object({ milliseconds: z.number(), proxy: z.boolean() }))),
});
export type ProbeReply = z.infer<typeof probeReply>;

const link = z.union([z.object({ milliseconds: z.number() }), z.object({ why: text })]);
export const linksReply = z.object({
  links: answered(
    z.object({
      busy: z.array(z.int()),
      reached: z.record(z.string(), z.record(z.string(), link)),
      heard: z.array(text),
    }),
  ),
  shared: answered(z.object({ place: text, unseen: z.array(text) })).optional(),
});
export type LinksReply = z.infer<typeof linksReply>;

export const reduceReply = z.object({
  ok: z.boolean(),
  why: text.optional(),
  said: text.optional(),
  milliseconds: z.number().optional(),
  torch: text.optional(),
});
export type ReduceReply = z.infer<typeof reduceReply>;
