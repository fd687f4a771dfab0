import type { Entry, EntryOf } from '@her/ledger';

const kinds = ['attempt.started', 'attempt.ended', 'seed.used', 'study.registered', 'study.amended'] as const;

/** The entries that the audit rests on. */
export type SeedEntry = EntryOf<(typeof kinds)[number]>;
export type SeedUsed = EntryOf<'seed.used'>;

export function isSeedEntry(entry: Entry): entry is SeedEntry {
  return (kinds as readonly string[]).includes(entry.kind);
}
