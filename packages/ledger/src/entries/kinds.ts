/** Every kind of entry this version writes. Kept apart from the schemas so that readers need not load them. */
export const ENTRY_KINDS = [
  'study.registered',
  'study.amended',
  'decision',
  'environment',
  'attempt.started',
  'attempt.ended',
  'node.ended',
  'node.reach',
  'input.placed',
  'host.key',
  'resume.proved',
  'seed.used',
  'metric',
  'event',
  'checkpoint.saved',
  'checkpoint.verified',
  'checkpoint.set-aside',
  'checkpoint.stored',
  'checkpoint.removed',
  'artifact',
  'score',
  'cosigned',
  'notice',
  'note',
] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

const KNOWN: ReadonlySet<string> = new Set(ENTRY_KINDS);

/** Whether this version has a schema for a kind. */
export function isEntryKind(kind: unknown): kind is EntryKind {
  return typeof kind === 'string' && KNOWN.has(kind);
}
