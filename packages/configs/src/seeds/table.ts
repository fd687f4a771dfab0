import { deriveSeed } from './derive.ts';

/** One random source of a job. `value: null` means that the trainer offers no way to seed it. */
export type SeedRow = {
  /** The trainer's own name of the option or the thing that draws. */
  source: string;
  value: number | null;
  /** What the draws decide. */
  drives: string;
  /** Whether the value changes anything in this job, as measured; an inert one is set and read back all the same. */
  effect: 'effective' | 'inert' | 'unseeded';
};

/** How much of a run the seeds fix. `bitwise`: the same bits again; `seeded`: the same draws, another order. */
export type Reproducibility = { level: 'bitwise' | 'seeded' | 'unseeded'; why: string };

/** A random source as a kind of stage declares it, before a root seed is known. */
export type SeedSource = Omit<SeedRow, 'value'>;

export function seedTable(root: number, stage: string, sources: readonly SeedSource[]): SeedRow[] {
  return sources.map((row) => ({
    ...row,
    value: row.effect === 'unseeded' ? null : deriveSeed(root, stage, row.source),
  }));
}

/** The seed that was given to a source; asking for one that the table lacks is a mistake of ours. */
export function seedOf(table: readonly SeedRow[], source: string): number {
  const row = table.find((candidate) => candidate.source === source);
  if (row === undefined || row.value === null) throw new TypeError(`no seed was planned for ${source}`);
  return row.value;
}
