import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkout } from './her.ts';

type Tree = { [key: string]: unknown };

/** The tiny study cut down to `prepare` and `sft` with one seed, under another name, with some keys of `sft` changed. */
export async function writeSmallStudy(
  folder: string,
  name: string,
  changes: { sft?: Tree; models?: Tree } = {},
): Promise<string> {
  const tiny = parse(await readFile(join(checkout, 'studies', 'tiny.yaml'), 'utf8')) as Tree & {
    stages: Tree;
    models: Tree;
  };
  const { prepare, sft } = tiny.stages;
  const study = {
    ...tiny,
    name,
    seeds: [11],
    models: { ...tiny.models, ...changes.models },
    stages: { prepare, sft: { ...(sft as Tree), ...changes.sft } },
    measure: undefined,
  };
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, stringify(study));
  return file;
}
