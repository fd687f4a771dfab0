/** What a study says of its target of kind `slurm`, as far as a submission depends on it. */
export type SlurmSettings = {
  nodes: number;
  partition?: string | undefined;
  account?: string | undefined;
  qos?: string | undefined;
  constraint?: string | undefined;
  time?: string | undefined;
  signal_seconds: number;
  options: Readonly<Record<string, string | number | true>>;
  gpus?: { per_node: number } | undefined;
  cores: number;
  memory_gb: number;
};
