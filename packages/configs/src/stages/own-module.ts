import type { JobOutput } from '../plan/job.ts';
import { type Reproducibility, type SeedRow, seedOf } from '../seeds/table.ts';
import type { OptionValue } from '../study/settings.ts';
import { cpuEnv } from './cpu-env.ts';
import { launchScript } from './launch-script.ts';
import type { Rendered } from './stage-context.ts';

/** What differs between our own node-side stages; the rest of their jobs is the same. */
export type OwnModule = {
  /** `her_workers.NAME`, which reads `NAME.json`. */
  name: string;
  config: Record<string, OptionValue>;
  cores: number;
  seeds: SeedRow[];
  outputs: JobOutput[];
  reproducibility: Reproducibility;
  /** Modules of ours whose source is part of the job's identity. */
  code: string[];
};

/** A stage of our own: `python -m her_workers.NAME NAME.json`, in ms-swift's environment. */
export function renderOwnModule(own: OwnModule): Rendered {
  const { name, seeds, outputs, reproducibility, code } = own;
  const argv = ['python', '-m', `her_workers.${name}`, `${name}.json`];
  const env = { ...cpuEnv(own.cores), PYTHONHASHSEED: String(seedOf(seeds, 'PYTHONHASHSEED')) };
  return {
    environment: 'swift',
    files: {
      [`${name}.json`]: `${JSON.stringify(own.config, null, 2)}\n`,
      'launch.sh': launchScript({ argv, env }),
    },
    argv,
    env,
    gang: null,
    metrics: [{ format: 'plain', path: 'out/metrics.jsonl' }],
    checkpoints: null,
    seedRecord: 'plain',
    outputs,
    resume: null,
    seeds,
    reproducibility,
    settings: {},
    steps: null,
    code,
  };
}
