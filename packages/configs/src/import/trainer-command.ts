import type { ImportNote } from './note.ts';
import type { Unknown } from './shell/value.ts';

/** Data as YAML, JSON or Hydra write it. From a shell's words it is text, with unknown pieces as spelled there. */
export type ImportValue = null | boolean | number | string | ImportValue[] | { [key: string]: ImportValue };

/** A piece of a value that the script does not fix: `${NAME}`, `$(date)`. `name`: what `--set` would give. */
export type UnknownPiece = Pick<Unknown, 'unknown' | 'line' | 'why' | 'name'>;

/** What Hydra does with an override: `k=v`, `+k=v`, `++k=v`, `~k`. */
export type OverrideAction = 'set' | 'add' | 'add-or-set' | 'delete';

/** One option of a launch. Given several times, the last one is kept and a note tells of the others. */
export type TrainerOption = {
  /** As the trainer knows it: `learning_rate`; for verl the dotted key. */
  name: string;
  /** As written: `--learning-rate`, `+data.x`. */
  spelling: string;
  /**
   * From a shell, ms-swift's words as text, as many as the flag has (none for a bare `--flag`). From a config file
   * and for verl the one value as data; none for `~key`.
   */
  values: ImportValue[];
  line: number;
  column: number;
  /** The config file that it stands in, where that is another than the launch's own file. */
  file?: string;
  /** verl only. */
  action?: OverrideAction;
  /** verl only: `key@package=choice`. */
  package?: string;
  /** What in `values` is not known. */
  unknown: UnknownPiece[];
};

/** A variable of the launch's environment. Line 0: given with `--set`. */
export type EnvironmentVariable = { value: string; line: number; unknown: UnknownPiece[] };

/** The config the launch starts from. */
export type ConfigReference =
  /** ms-swift's first word; `text` when the script itself writes the file. */
  | { kind: 'file'; path: string; line: number; text?: string }
  /** Hydra's `--config-path`, `--config-name` and `--config-dir`. */
  | { kind: 'hydra'; name?: string; path?: string; dir?: string; line: number };

/** How many processes, where: words of `torchrun` and its like, or the variables that ms-swift reads. */
export type Launcher = {
  /** `torchrun`, `accelerate`, `deepspeed`; missing when the trainer starts its processes itself. */
  program?: string;
  nnodes?: string;
  nprocPerNode?: string;
  nodeRank?: string;
  masterAddr?: string;
  masterPort?: string;
  /** accelerate: the processes of all nodes together. */
  numProcesses?: string;
  /** accelerate's `--config_file`, DeepSpeed's `--hostfile`: a file that says the rest. */
  file?: string;
  /** accelerate: how it spreads a model, by its own words without `fsdp_` and `deepspeed_`. */
  spread?: Record<string, string>;
  /** Other words of the launcher, as written. */
  other: string[];
};

/** One launch of a trainer, from a script or a config file. */
export type TrainerCommand = {
  trainer: 'ms-swift' | 'megatron-swift' | 'verl';
  /** `sft`, `rlhf`, `main_ppo`. For a config file of ms-swift, which does not say, empty. */
  command: string;
  /** verl only: the module that is run, in full; missing for a config file. */
  module?: string;
  line: number;
  column: number;
  env: Record<string, EnvironmentVariable>;
  options: TrainerOption[];
  config: ConfigReference | null;
  launcher: Launcher;
  /** Commands that ran the launch: `nohup`, `srun`, `ray`. */
  via: string[];
  notes: ImportNote[];
};

/** Everything found in a file. `notes` are those of no launch in particular. */
export type ImportReading = { file: string; launches: TrainerCommand[]; notes: ImportNote[] };
