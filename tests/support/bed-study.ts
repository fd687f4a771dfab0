import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { readEnvironmentLock } from '../../packages/orchestrator/src/environments/lock-file.ts';
import { environmentFolder } from '../../packages/orchestrator/src/environments/sync.ts';
import { checkout } from './her.ts';

type Tree = { [key: string]: unknown };

/** The environments that are set up here, as folders that are there already on every host of the bed. */
export async function environmentPaths(root: string): Promise<Record<string, { path: string }>> {
  const of = async (name: 'swift' | 'verl') => ({
    path: environmentFolder(root, await readEnvironmentLock(name)),
  });
  return { swift: await of('swift'), verl: await of('verl') };
}

/** The tiny study on another target, with one seed and few steps: the whole chain, in some minutes. */
export async function writeBedStudy(
  folder: string,
  name: string,
  target: Tree,
  { only, more = {}, steps = 8 }: { only?: readonly string[]; more?: Tree; steps?: number } = {},
): Promise<string> {
  const tiny = parse(await readFile(join(checkout, 'studies', 'tiny.yaml'), 'utf8'));
  const { prepare, sft, rl, evaluate } = tiny.stages;
  const stages: Tree = {
    prepare: { ...prepare, rows: { sft: 256, rl: 64, heldout: 32 } },
    sft: {
      ...sft,
      epochs: undefined,
      steps,
      save_every: Math.ceil(steps / 2),
      batch: { global: 16, per_device: 8 },
    },
    rl: {
      ...rl,
      steps: 2,
      save_every: 1,
      batch: { ...rl.batch, prompts: 4, samples: 4, mini: 4, micro_per_device: 8 },
    },
    evaluate: { ...evaluate, samples: 32, batch: 32 },
  };
  const study = {
    ...tiny,
    ...more,
    name,
    seeds: [11],
    target,
    stages: only === undefined ? stages : Object.fromEntries(only.map((stage) => [stage, stages[stage]])),
    measure: undefined,
  };
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, stringify(study));
  return file;
}
