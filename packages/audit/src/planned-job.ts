/** What the audit needs to know of a planned job. */
export type PlannedJob = {
  id: string;
  name: string;
  stage: string;
  arm: string;
  seed: number | null;
  seeds: readonly {
    source: string;
    value: number | null;
    drives: string;
    effect: 'effective' | 'inert' | 'unseeded';
  }[];
  reproducibility: { level: 'bitwise' | 'seeded' | 'unseeded'; why: string };
};
