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

const folder = z
  .string()
  .regex(/^(~|\/|~\/)[^\0\r\n]*$/, 'a whole path, or one that begins with ~/')
  .describe('Folder on the nodes below which everything is written');
const trainer = z.strictObject({ path: folder.describe('An environment that is there already') });
const digested = z.string().regex(/^[\w.:/-]+@sha256:[0-9a-f]{64}$/, 'an image by its digest: name@sha256:…');

const onNodes = {
  ...node,
  python: z.string().min(1).default('python3').describe('Python of the nodes, 3.9 or newer, for the agent'),
  environments: z
    .union([
      z.literal('locked'),
      z.strictObject({ swift: trainer.optional(), verl: trainer.optional() }),
      z.strictObject({ image: digested, with: z.enum(['docker', 'apptainer']) }),
    ])
    .default('locked')
    .describe("Where the trainers come from: this program's locks, folders that are there, or an image"),
};

/** A name that cannot be taken for an option of `ssh`. */
const host = z.string().regex(/^[A-Za-z0-9_[][\w.:@%[\]-]*$/, 'a host as `ssh` knows it');

const sshTarget = z
  .strictObject({
    kind: z.literal('ssh').describe('Nodes reached over SSH'),
    hosts: z
      .array(host)
      .min(1)
      .refine((hosts) => new Set(hosts).size === hosts.length, { message: 'a host is listed twice' })
      .describe('The nodes, as `ssh` knows them'),
    addresses: z
      .record(host, z.string().regex(/^[\w.:-]+$/, 'a name or an address'))
      .default({})
      .describe('How the other nodes reach a host, where that is not its HostName'),
    root: folder.default('~/.her'),
    storage: z
      .enum(['shared', 'own'])
      .default('shared')
      .describe('Whether all hosts see one root; a job takes several nodes only where they do'),
    gpus: gpus.optional(),
    ...onNodes,
  })
  .refine(({ hosts, addresses }) => Object.keys(addresses).every((named) => hosts.includes(named)), {
    message: 'an address of a host that is not listed',
  })
  .describe('Nodes reached over SSH');

const word = z.string().regex(/^[\w.,:@%+=/-]+$/, 'letters, digits and .,:@%+=/- only');
const slurmTarget = z.strictObject({
  kind: z.literal('slurm').describe('An allocation of Slurm'),
  login: host.optional().describe('The host with sbatch, as `ssh` knows it (default: this machine)'),
  nodes: count.describe('Nodes of one job'),
  root: folder.default('~/.her'),
  partition: word.optional(),
  account: word.optional(),
  qos: word.optional(),
  constraint: z
    .string()
    .regex(/^[\w.,:@%+=/&|()[\]*-]+$/)
    .optional(),
  time: z
    .string()
    .regex(/^(\d+-)?\d{1,2}(:\d{2}){0,2}$/, 'a time limit of Slurm: hours:minutes:seconds, or days-hours')
    .optional()
    .describe('Time limit of one job'),
  signal_seconds: z
    .int()
    .min(10)
    .max(65_535)
    .default(120)
    .describe('How long before the time limit the trainer is asked to save and end'),
  options: z
    .record(
      z.string().regex(/^[a-z][a-z-]*$/, 'a long option of sbatch, without its dashes'),
      z.union([word, z.int(), z.literal(true)]),
    )
    .default({})
    .describe('Other options of sbatch'),
  gpus: gpus.optional(),
  ...onNodes,
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
  /** Whether one job may take several nodes: they see one folder. */
  sharedStorage: boolean;
  /** Whether a scheduler ends jobs in the middle of their work, after a signal. */
  signalled: boolean;
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
    sharedStorage: target.kind !== 'ssh' || target.storage === 'shared',
    signalled: target.kind === 'slurm',
  };
}

/** Ranks of a trainer that has the whole target: one a GPU, or one a node where there is none. */
export function worldSize({ nodes, gpusPerNode }: Machine): number {
  return nodes * Math.max(1, gpusPerNode);
}
