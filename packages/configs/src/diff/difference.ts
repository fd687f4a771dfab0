import type { JobDescription } from '../kit/description.ts';

/** Of what kind a difference is, from what decides most to what decides least. */
export const aspects = ['trainer', 'nodes', 'input', 'setting', 'environment', 'seed', 'file'] as const;
export type Aspect = (typeof aspects)[number];

/** One thing that two studies do differently. `null`: it is not there. */
export type Difference = {
  aspect: Aspect;
  name: string;
  a: unknown;
  b: unknown;
  /** Where each value came from, for settings. */
  origins?: { a: string | null; b: string | null };
};

/** What two jobs of one name do differently. Where a value came from is said, but is no difference by itself. */
export function jobDifferences(a: JobDescription, b: JobDescription): Difference[] {
  const seeds = compare('seed', seedValues(a), seedValues(b));
  const seeded = new Set(seeds.map(({ name }) => name));
  // A seed stands in its trainer's settings or environment too.
  const unseeded = (found: Difference[]): Difference[] => found.filter(({ name }) => !seeded.has(name));
  const settings = compare('setting', plainValues(a), plainValues(b)).map((found) => ({
    ...found,
    origins: { a: a.settings[found.name]?.origin ?? null, b: b.settings[found.name]?.origin ?? null },
  }));
  const found = [
    ...compare('trainer', { trainer: a.trainer }, { trainer: b.trainer }),
    ...compare('nodes', sizes(a), sizes(b)),
    ...compareInputs(a, b),
    ...unseeded(settings),
    ...unseeded(compare('environment', a.env, b.env)),
    ...seeds,
  ];
  // A rendered file says nothing new where one of its values was named.
  if (found.length > 0) return found;
  return compare('file', a.files, b.files).map((file) => ({ ...file, ...isThere(file) }));
}

function compare(aspect: Aspect, a: Record<string, unknown>, b: Record<string, unknown>): Difference[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((name) => {
    const [inA, inB] = [a[name] ?? null, b[name] ?? null];
    const bothThere = Object.hasOwn(a, name) === Object.hasOwn(b, name);
    return bothThere && sameValue(inA, inB) ? [] : [{ aspect, name, a: inA, b: inB }];
  });
}

/** Of files it is said where they are; their hashes differ from job to job and say nothing. */
function isThere({ a, b }: Difference): { a: true | null; b: true | null } {
  return { a: a === null ? null : true, b: b === null ? null : true };
}

function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A hash that only one side knows is no difference: it is known once the files are there. */
function compareInputs(a: JobDescription, b: JobDescription): Difference[] {
  const pinned = (job: JobDescription) =>
    new Map(job.inputs.map(({ name, from }) => [name, from.kind === 'path' ? from.digest : null]));
  const [hashesA, hashesB] = [pinned(a), pinned(b)];
  const words = (job: JobDescription): Record<string, string> =>
    Object.fromEntries(
      job.inputs.map(({ name, from }) => {
        if (from.kind === 'output') return [name, `${from.job} ${from.output}`];
        if (from.kind === 'hub') return [name, `hub ${from.id}`];
        const known = hashesA.get(name) && hashesB.get(name);
        return [name, known ? `${from.path} (${from.digest?.slice(0, 12)})` : from.path];
      }),
    );
  return compare('input', words(a), words(b));
}

function sizes({ nodes, gpusPerNode, cores, memoryGb }: JobDescription): Record<string, unknown> {
  return { nodes, gpus_per_node: gpusPerNode, cores, memory_gb: memoryGb };
}

function seedValues({ seeds }: JobDescription): Record<string, unknown> {
  return Object.fromEntries(seeds.map(({ source, value, effect }) => [source, value ?? effect]));
}

function plainValues({ settings }: JobDescription): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
}
