import type { Reproducibility, SeedRow } from '../seeds/table.ts';
import type { Gang } from '../stages/launch-script.ts';
import type { CodeSpec } from '../study/code-schema.ts';
import type { Notify } from '../study/notify-schema.ts';
import type { SecretSource } from '../study/secret-schema.ts';
import type { Setting } from '../study/settings.ts';
import type { StageKind } from '../study/stage-schemas.ts';
import type { StoreSpec } from '../study/store-schema.ts';
import type { Target } from '../study/target-schema.ts';

/** 16 hex digits: the hash of a job's files and of its inputs. */
export type JobId = string & { readonly brand: 'JobId' };

/** The locked environment that a job runs in; a folder of `infra/envs`. */
export type TrainerEnvironment = 'swift' | 'verl';

/** Where an input comes from: another job's output, or a path of the study with the hash of what is there. */
export type InputSource =
  | { kind: 'output'; job: JobId; output: string }
  | {
      kind: 'path';
      path: string;
      /** SHA-256, in hex; null for a path of the nodes that the study does not pin: it is hashed there, at the start. */
      digest: string | null;
      /** How it gets from this machine to the nodes, where it is here. */
      via?: 'rsync';
    }
  | { kind: 'hub'; id: string };

export type JobInput = { /** Path under `inputs/`. */ name: string; from: InputSource };

/** How a trainer's own files are read while it runs. */
export type MetricSource = { format: 'swift' | 'verl' | 'plain'; path: string; maxSteps?: number };

export type JobOutput = {
  name: string /** Path in the attempt's folder; a `*` takes the highest number. */;
  path: string;
};

/** Seconds. */
export type JobLimits = { firstStep: number; silence: number; grace: number };

/** How a trainer is told to go on from a checkpoint: words added to its command, `{checkpoint}` replaced. */
export type ResumeRule = { argv: string[]; format: 'swift' | 'verl'; path: string } | null;

/** One stage × arm × seed, with all that is needed to start it anywhere. */
export type Job = {
  id: JobId;
  /** Unique in the plan and what a person types: `sft/11`. */
  name: string;
  stage: string;
  kind: StageKind;
  arm: string;
  /** The root seed, or null where the stage runs once for all seeds. */
  seed: number | null;
  needs: JobId[];
  environment: TrainerEnvironment;
  /** Rendered files, by path in the attempt's folder. */
  files: Record<string, string>;
  inputs: JobInput[];
  /** The command; its first word is a program of the environment. */
  argv: string[];
  env: Record<string, string>;
  /** How its nodes find each other, where there are several. */
  gang: Gang;
  metrics: MetricSource[];
  checkpoints: { format: 'swift' | 'verl'; path: string; worldSize: number } | null;
  seedRecord: 'swift' | 'verl' | 'plain';
  outputs: JobOutput[];
  resume: ResumeRule;
  seeds: SeedRow[];
  reproducibility: Reproducibility;
  /** Settings of the trainer with their origins, for the record. */
  settings: Record<string, Setting>;
  /** Of each node; `gpus` of each node too. */
  resources: { cores: number; memoryGb: number; nodes: number; gpus: number };
  limits: JobLimits;
  /** Steps the job takes, where the plan can know. */
  steps: number | null;
};

/** What a kind of stage renders; the planner adds identity and wiring. */
export type RenderedStage = Omit<
  Job,
  'id' | 'name' | 'stage' | 'kind' | 'arm' | 'seed' | 'needs' | 'inputs' | 'resources' | 'limits'
>;

/** The DAG of jobs, in an order in which each comes after what it needs. */
export type Plan = {
  study: string;
  digest: string;
  primary: string | null;
  /** Its name in the study. */
  target: string;
  jobs: Job[];
} & Site;

/** What a run needs to know beside its jobs; none of it changes what a job is. */
export type Site = {
  runsOn: Target;
  secrets: Record<string, SecretSource>;
  store: StoreSpec | null;
  notify: Notify[];
  code: CodeSpec | null;
};
