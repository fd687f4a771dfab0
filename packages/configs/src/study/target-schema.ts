import { z } from 'zod';
import { CARDS, type CardName } from '../estimate/cards.ts';

const count = z.int().positive();

const cardNames = Object.keys(CARDS) as [CardName, ...CardName[]];

const gpus = z
  .strictObject({
    per_node: count.describe('GPUs of one node'),
    kind: z.enum(cardNames).optional().describe('The card; decides its memory and the time range of a plan'),
    memory_gb: z.number().positive().optional().describe('Memory of one card, as its label says, in GB'),
  })
  .refine((written) => written.kind !== undefined || written.memory_gb !== undefined, {
    message: 'give `kind` or `memory_gb`, so that memory can be predicted',
  });

const node = {
  cores: z.number().positive().describe('Cores of one node'),
  memory_gb: z.number().positive().describe('Memory of one node, in GB'),
};

const localTarget = z
  .strictObject({
    kind: z.literal('local').describe('This machine'),
    device: z.enum(['cpu', 'cuda']).default('cpu'),
    gpus: gpus.optional(),
    cores: node.cores.default(2),
    memory_gb: node.memory_gb.default(12),
  })
  .refine((target) => (target.device === 'cuda') === (target.gpus !== undefined), {
    message: '`device: cuda` and `gpus` go together',
  });

const sshTarget = z
  .strictObject({
    kind: z.literal('ssh').describe('Nodes reached over SSH'),
    hosts: z
      .array(z.string().min(1))
      .min(1)
      .refine((hosts) => new Set(hosts).size === hosts.length, { message: 'a host is listed twice' })
      .describe('The nodes, as `ssh` knows them'),
    gpus,
    ...node,
  })
  .describe('Nodes reached over SSH');

const slurmTarget = z.strictObject({
  kind: z.literal('slurm').describe('An allocation of Slurm'),
  nodes: count.describe('Nodes of one job'),
  partition: z.string().min(1).optional(),
  account: z.string().min(1).optional(),
  gpus,
  ...node,
});

/** Where a study runs. */
export const targetSchema = z.discriminatedUnion('kind', [localTarget, sshTarget, slurmTarget]);
export type Target = z.infer<typeof targetSchema>;

/** What every job of a study can count on. `gpu: null`: the nodes have none. */
export type Machine = {
  nodes: number;
  gpusPerNode: number;
  gpu: { kind: CardName | null; memoryGb: number } | null;
  coresPerNode: number;
  memoryGbPerNode: number;
  /** Whether paths of the study are on this machine, where they can be looked at before a start. */
  pathsAreHere: boolean;
};

export function machineOf(target: Target): Machine {
  const { gpus: cards } = target;
  const nodes = target.kind === 'ssh' ? target.hosts.length : target.kind === 'slurm' ? target.nodes : 1;
  return {
    nodes,
    gpusPerNode: cards?.per_node ?? 0,
    gpu:
      cards === undefined
        ? null
        : {
            kind: cards.kind ?? null,
            memoryGb: cards.memory_gb ?? (cards.kind === undefined ? 0 : CARDS[cards.kind].memoryGb),
          },
    coresPerNode: target.cores,
    memoryGbPerNode: target.memory_gb,
    pathsAreHere: target.kind === 'local',
  };
}

/** Ranks of a trainer that has the whole target: one a GPU, or one process where there is none. */
export function worldSize({ nodes, gpusPerNode }: Machine): number {
  return gpusPerNode === 0 ? 1 : nodes * gpusPerNode;
}
