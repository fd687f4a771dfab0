import type { Study } from '../study/schema.ts';
import type { DescribedInput, StudyDescription } from './description.ts';

/** The environment variable by which a person says that an input lies elsewhere. */
export type Variables = (input: DescribedInput) => string | null;

/** One variable for each model, data file, reward function and output, whichever jobs read it. */
export function inputVariables({ jobs }: StudyDescription, study: Study): Variables {
  const names = new Map<string, string>();
  for (const input of jobs.flatMap((job) => job.inputs)) {
    const key = keyOf(input);
    if (key === null || names.has(key)) continue;
    const wanted = `HER_${nameOf(input, study).replaceAll(/\W|-/g, '_').toUpperCase()}`;
    const taken = new Set(names.values());
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
    names.set(key, name);
  }
  return (input) => names.get(keyOf(input) ?? '') ?? null;
}

function keyOf({ from }: DescribedInput): string | null {
  if (from.kind === 'hub') return null;
  return from.kind === 'path' ? `path ${from.path}` : `output ${from.job} ${from.output}`;
}

function nameOf({ name, from }: DescribedInput, study: Study): string {
  if (from.kind === 'output') return `output_${from.job}_${from.output}`;
  if (from.kind === 'hub') return from.id;
  for (const kind of ['model', 'data'] as const) {
    const declared = Object.entries(kind === 'model' ? study.models : study.data);
    const found = declared.find(([, { path }]) => path === from.path);
    if (found !== undefined) return `${kind}_${found[0]}`;
  }
  return name;
}
