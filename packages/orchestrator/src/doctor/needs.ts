import { costKey, type Job, type JobCost, type Plan } from '@her/configs';
import type { EnvironmentName } from '../environments/lock-file.ts';

/** What a plan asks of its nodes: the other side of every check. */
export type Needs = {
  kind: 'local' | 'ssh' | 'slurm';
  /** Whether some job takes several nodes at once. */
  gangs: boolean;
  nodes: readonly { name: string; address: string | null }[];
  root: string;
  storage: 'shared' | 'own';
  python: string;
  gpus: { perNode: number; kind: string | null; memoryGb: number } | null;
  cores: number;
  memoryGb: number;
  disk: DiskNeed;
  environments: readonly EnvironmentNeed[];
  /** Containers instead of environments. */
  image: { name: string; with: 'docker' | 'apptainer' } | null;
  /** Paths of the nodes that jobs read. */
  inputs: readonly { name: string; path: string; model: boolean }[];
  /** Servers that nodes must reach, with the reason. */
  servers: readonly Server[];
};

export type Server = {
  name: string;
  host: string;
  port: number;
  tls: boolean;
  why: string;
  onlyToSetUp: boolean;
};

export type DiskNeed = {
  /** Bytes of checkpoints on one node, all jobs from their start. */
  bytes: number;
  /** Of which stages that is not known. */
  unknown: readonly string[];
  inodes: number;
};

export type EnvironmentNeed = {
  name: EnvironmentName;
  path: string;
  /** Set up by `her run` where it is missing; else somebody made it. */
  locked: boolean;
  trainer: { package: string; version: string };
  /** Versions of the lock, of packages that decide what a run computes. */
  pinned: Readonly<Record<string, string>>;
  /** Bytes that setting it up takes. */
  bytes: number;
  /** Stages that load models with flash attention. */
  flash: readonly string[];
};

/** Files of one checkpoint, at most: shards of weights and optimizer, states of each rank, configuration. */
const filesOfCheckpoint = (ranks: number): number => 60 + 4 * ranks;
const filesOfAttempt = 200;

/** Room that the checkpoints of a plan take on one node. */
export function diskNeed(
  { jobs }: Pick<Plan, 'jobs'>,
  costs: ReadonlyMap<string, JobCost>,
  nodes: number,
  storage: Needs['storage'],
): DiskNeed {
  const sizes = jobs.map((job) => peakOf(job, costs));
  const known = sizes.map((size) => size ?? 0);
  const sum = known.reduce((all, one) => all + one, 0);
  // With folders of their own, nodes share the jobs; which one gets the largest is not known beforehand.
  const bytes = storage === 'shared' || nodes === 1 ? sum : sum / nodes + Math.max(0, ...known);
  const unknown = jobs.filter((job, i) => job.checkpoints !== null && sizes[i] === undefined);
  const inodes = jobs.reduce((all, job) => all + inodesOf(job, costs), 0);
  return { bytes, unknown: [...new Set(unknown.map(({ stage }) => stage))], inodes };
}

function peakOf(job: Job, costs: ReadonlyMap<string, JobCost>): number | undefined {
  const disk = costs.get(costKey(job))?.disk;
  return disk?.known ? disk.value.peak : undefined;
}

function inodesOf(job: Job, costs: ReadonlyMap<string, JobCost>): number {
  const disk = costs.get(costKey(job))?.disk;
  const kept = disk?.known ? (disk.value.keep ?? disk.value.saves.high) + 1 : 3;
  const checkpoints = job.checkpoints === null ? 0 : kept * filesOfCheckpoint(job.checkpoints.worldSize);
  return filesOfAttempt + checkpoints;
}
