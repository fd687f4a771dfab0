import { z } from 'zod';

const differs = z.object({ name: z.string(), wanted: z.string() });

/** What the agent saw of an environment. */
export const seenEnvironment = z.object({
  path: z.string(),
  python: z.string(),
  packages: z.record(z.string(), z.string()),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  missing: z.array(differs),
  other: z.array(differs.extend({ found: z.string() })),
  extra: z.array(z.string()),
});
export type SeenEnvironment = z.infer<typeof seenEnvironment>;

const mostSaid = 4;

/** Says in one line how it differs from the lock, and returns in how many packages. */
export function sayDifferences(
  node: string,
  label: string,
  { path, missing, other }: SeenEnvironment,
  say: (line: string) => void,
): number {
  const differences = [
    ...other.map(({ name, wanted, found }) => `${name} ${found} instead of ${wanted}`),
    ...missing.map(({ name, wanted }) => `no ${name} (${wanted})`),
  ];
  if (differences.length === 0) return 0;
  const more = differences.length > mostSaid ? ` and ${differences.length - mostSaid} more` : '';
  say(
    `${node}: ${path} differs from the lock of ${label}: ${differences.slice(0, mostSaid).join(', ')}${more}; this is recorded`,
  );
  return differences.length;
}
