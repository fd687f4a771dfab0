import { preparedRows } from '../stages/swift/kept-rows.ts';
import type { Study } from '../study/schema.ts';
import { namesOf } from '../study/stage-schemas.ts';

/** What a study says of the rows that a stage trains on; null where it does not. */
export type DataSize = { rows: number | null; meanTokens: number | null };

/** Of several sets the rows add up, and the mean is taken over rows. */
export function dataSize(study: Study, written: string | readonly string[]): DataSize {
  const sets = namesOf(written).map((name) => {
    const entry = Object.hasOwn(study.data, name) ? study.data[name] : undefined;
    return {
      rows: entry?.rows ?? preparedRows(study, entry?.output) ?? null,
      tokens: entry?.mean_tokens ?? null,
    };
  });
  if (sets.length === 0 || sets.some(({ rows }) => rows === null)) return { rows: null, meanTokens: null };
  const rows = sets.reduce((sum, set) => sum + (set.rows ?? 0), 0);
  const known = sets.every(({ tokens }) => tokens !== null);
  const tokens = sets.reduce((sum, set) => sum + (set.rows ?? 0) * (set.tokens ?? 0), 0);
  return { rows, meanTokens: known && rows > 0 ? tokens / rows : null };
}
